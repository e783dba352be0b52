/** Answers as JSON, written field by field. */
@NullMarked
package dev.holdfast.api.view;

import org.jspecify.annotations.NullMarked;
