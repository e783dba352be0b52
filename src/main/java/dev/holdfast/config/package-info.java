/** Every setting, as documented interfaces. */
@NullMarked
package dev.holdfast.config;

import org.jspecify.annotations.NullMarked;
