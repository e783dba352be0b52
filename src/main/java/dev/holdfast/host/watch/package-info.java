/** Who a task's processes are, and how its command ends. */
@NullMarked
package dev.holdfast.host.watch;

import org.jspecify.annotations.NullMarked;
