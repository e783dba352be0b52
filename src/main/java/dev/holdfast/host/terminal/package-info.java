/** The server's side of the keeper, which holds the terminals. */
@NullMarked
package dev.holdfast.host.terminal;

import org.jspecify.annotations.NullMarked;
