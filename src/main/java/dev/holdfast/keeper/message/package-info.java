/** What crosses the socket between the server and its keeper, for both of them. */
@NullMarked
package dev.holdfast.keeper.message;

import org.jspecify.annotations.NullMarked;
