/** Terminals over WebSocket, straight on Vert.x. */
@NullMarked
package dev.holdfast.api.terminal;

import org.jspecify.annotations.NullMarked;
