/** What a command does to the world, by its words: the table of programs, and what of their words says where. */
@NullMarked
package dev.holdfast.policy.classes;

import org.jspecify.annotations.NullMarked;
