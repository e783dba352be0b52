/** What makes two commands the same, and the atomic claim that lets exactly one of them start. */
@NullMarked
package dev.holdfast.duplicate;

import org.jspecify.annotations.NullMarked;
