/** The way into the console, and its pages. */
@NullMarked
package dev.holdfast.api.console;

import org.jspecify.annotations.NullMarked;
