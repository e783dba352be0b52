/** Answers that flow: events and large downloads, with bounded memory. */
@NullMarked
package dev.holdfast.api.stream;

import org.jspecify.annotations.NullMarked;
