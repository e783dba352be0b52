/** Start-up: every unfinished task is adopted, finished or declared lost before the port opens. */
@NullMarked
package dev.holdfast.recovery;

import org.jspecify.annotations.NullMarked;
