/** The use cases: tasks that live, are looked at, typed into, stopped and forgotten. */
@NullMarked
package dev.holdfast.runtime;

import org.jspecify.annotations.NullMarked;
