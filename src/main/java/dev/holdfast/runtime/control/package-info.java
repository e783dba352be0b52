/** What is done to tasks that run: stops, signals, what is typed into them; and who may. */
@NullMarked
package dev.holdfast.runtime.control;

import org.jspecify.annotations.NullMarked;
