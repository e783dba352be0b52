/** Whether the server works as it was meant to. */
@NullMarked
package dev.holdfast.api.health;

import org.jspecify.annotations.NullMarked;
