/** One task as whoever follows it sees it: its output, input, terminal and end, over the server's restarts. */
@NullMarked
package dev.holdfast.cli.task;

import org.jspecify.annotations.NullMarked;
