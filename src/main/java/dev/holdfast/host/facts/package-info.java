/** What a task waits for, where it listens, and what lives of it. */
@NullMarked
package dev.holdfast.host.facts;

import org.jspecify.annotations.NullMarked;
