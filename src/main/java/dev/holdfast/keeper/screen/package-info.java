/** The screen of a terminal: what stands on it after the bytes that were printed, and what paints it again. */
@NullMarked
package dev.holdfast.keeper.screen;

import org.jspecify.annotations.NullMarked;
