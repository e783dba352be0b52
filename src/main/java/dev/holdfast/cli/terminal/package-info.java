/** Who started the command: what is printed for them, what they type, and what they are told when it fails. */
@NullMarked
package dev.holdfast.cli.terminal;

import org.jspecify.annotations.NullMarked;
