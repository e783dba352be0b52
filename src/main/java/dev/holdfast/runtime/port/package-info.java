/** What the use cases need of the world, and who gives it: processes, output, rows, the journal. */
@NullMarked
package dev.holdfast.runtime.port;

import org.jspecify.annotations.NullMarked;
