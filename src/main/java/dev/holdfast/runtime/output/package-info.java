/** Reads what tasks wrote: cursors and pages. */
@NullMarked
package dev.holdfast.runtime.output;

import org.jspecify.annotations.NullMarked;
