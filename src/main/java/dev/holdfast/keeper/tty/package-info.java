/** One pseudo-terminal: started by pty4j, read, written and awaited past it, and what waits to be typed into it. */
@NullMarked
package dev.holdfast.keeper.tty;

import org.jspecify.annotations.NullMarked;
