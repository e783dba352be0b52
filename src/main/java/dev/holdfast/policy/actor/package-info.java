/** Who asks: the bearers of tokens, what each may do at most, and the file that names them. */
@NullMarked
package dev.holdfast.policy.actor;

import org.jspecify.annotations.NullMarked;
