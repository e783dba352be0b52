/** What happens to tasks, as events: of one task, and of all. */
@NullMarked
package dev.holdfast.runtime.feed;

import org.jspecify.annotations.NullMarked;
