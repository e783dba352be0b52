/** Holdfast's own tools. */
@NullMarked
package dev.holdfast.tool.holdfast;

import org.jspecify.annotations.NullMarked;
