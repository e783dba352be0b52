/** The journal: who asked for what, what was decided, and what became of it, in files that only grow. */
@NullMarked
package dev.holdfast.audit;

import org.jspecify.annotations.NullMarked;
