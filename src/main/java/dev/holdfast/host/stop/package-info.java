/** Signals, and the end of everything that a task started. */
@NullMarked
package dev.holdfast.host.stop;

import org.jspecify.annotations.NullMarked;
