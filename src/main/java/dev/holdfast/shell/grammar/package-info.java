/** Shell text into a syntax tree: what the grammar cannot take is put away first. */
@NullMarked
package dev.holdfast.shell.grammar;

import org.jspecify.annotations.NullMarked;
