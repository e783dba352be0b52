/** Lines of a task's output that match an expression, found by their bytes where that is possible. */
@NullMarked
package dev.holdfast.output.search;

import org.jspecify.annotations.NullMarked;
