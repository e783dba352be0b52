/** From what a caller asks for to a command that runs, in its caller's window. */
@NullMarked
package dev.holdfast.runtime.start;

import org.jspecify.annotations.NullMarked;
