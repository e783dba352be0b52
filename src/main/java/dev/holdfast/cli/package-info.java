/** The {@code holdfast} command: a client of the server over HTTP, in a small JVM of its own. */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
