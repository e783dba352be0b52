/** Receipts and other texts for models. Pure. */
@NullMarked
package dev.holdfast.render;

import org.jspecify.annotations.NullMarked;
