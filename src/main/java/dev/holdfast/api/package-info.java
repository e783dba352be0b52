/** REST, server-sent events, WebSocket, problem details, security. */
@NullMarked
package dev.holdfast.api;

import org.jspecify.annotations.NullMarked;
