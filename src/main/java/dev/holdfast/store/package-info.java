/** Tasks as rows: the database and its file, mapping to and from Task. */
@NullMarked
package dev.holdfast.store;

import org.jspecify.annotations.NullMarked;
