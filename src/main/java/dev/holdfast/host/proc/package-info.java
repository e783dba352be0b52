/** What {@code /proc} shows of processes, read with care for those that end meanwhile. */
@NullMarked
package dev.holdfast.host.proc;

import org.jspecify.annotations.NullMarked;
