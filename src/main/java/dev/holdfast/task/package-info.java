/** The pure core: what a command and a task are, and the one table of how a task's status changes. No I/O, no clock. */
@NullMarked
package dev.holdfast.task;

import org.jspecify.annotations.NullMarked;
