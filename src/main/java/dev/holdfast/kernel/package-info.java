/**
 * Linux as this product uses it: libc through the foreign function interface, and one thread that waits for kernel
 * events.
 */
@NullMarked
package dev.holdfast.kernel;

import org.jspecify.annotations.NullMarked;
