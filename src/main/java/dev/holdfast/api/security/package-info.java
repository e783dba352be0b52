/** Who may call: Host, Origin, token, in this order and before anything is read. */
@NullMarked
package dev.holdfast.api.security;

import org.jspecify.annotations.NullMarked;
