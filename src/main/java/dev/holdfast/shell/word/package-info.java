/** Words as a shell has them: quotes gone, variables and braces expanded, each character with its place. */
@NullMarked
package dev.holdfast.shell.word;

import org.jspecify.annotations.NullMarked;
