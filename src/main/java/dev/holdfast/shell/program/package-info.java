/** Programs that run other programs, or texts for a shell: what of their arguments is what. */
@NullMarked
package dev.holdfast.shell.program;

import org.jspecify.annotations.NullMarked;
