/** Waits for what tasks do: any tasks, any conditions. */
@NullMarked
package dev.holdfast.runtime.wait;

import org.jspecify.annotations.NullMarked;
