/** The use cases (start, read, write, stop, wait) and the ports they need. */
@NullMarked
package dev.holdfast.runtime;

import org.jspecify.annotations.NullMarked;
