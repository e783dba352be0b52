/** Answers: records whose fields are those of the contract, in its order. */
@NullMarked
package dev.holdfast.message.view;

import org.jspecify.annotations.NullMarked;
