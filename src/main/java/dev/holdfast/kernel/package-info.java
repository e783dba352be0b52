/** Linux as this product uses it: libc by foreign functions, and one thread that waits for kernel events. */
@NullMarked
package dev.holdfast.kernel;

import org.jspecify.annotations.NullMarked;
