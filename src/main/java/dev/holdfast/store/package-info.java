/** Tasks as rows: Panache entities, Flyway, mapping to and from Task. */
@NullMarked
package dev.holdfast.store;

import org.jspecify.annotations.NullMarked;
