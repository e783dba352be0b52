/** A task's output files: cursors, gaps, head and tail, text views, the disk governor. */
@NullMarked
package dev.holdfast.output;

import org.jspecify.annotations.NullMarked;
