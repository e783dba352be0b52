/** The server, as the command calls it: where it is, who we are to it, what it answers. */
@NullMarked
package dev.holdfast.cli.server;

import org.jspecify.annotations.NullMarked;
