/** Every setting, as documented interfaces, and the rights of what lies in the data folder. */
@NullMarked
package dev.holdfast.config;

import org.jspecify.annotations.NullMarked;
