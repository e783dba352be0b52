/** Failures as problem documents. */
@NullMarked
package dev.holdfast.api.problem;

import org.jspecify.annotations.NullMarked;
