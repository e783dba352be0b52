/** Who calls, how long he waits, and how he is refused. */
@NullMarked
package dev.holdfast.runtime.call;

import org.jspecify.annotations.NullMarked;
