/** The build itself: the wrapper that a newcomer runs first. */
@NullMarked
package dev.holdfast.house;

import org.jspecify.annotations.NullMarked;
