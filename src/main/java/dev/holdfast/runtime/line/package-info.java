/** The line that is being typed into a command, as a shell would read it. */
@NullMarked
package dev.holdfast.runtime.line;

import org.jspecify.annotations.NullMarked;
