/** The other program: holds terminals with pty4j and outlives the server. Never Quarkus. */
@NullMarked
package dev.holdfast.keeper;

import org.jspecify.annotations.NullMarked;
