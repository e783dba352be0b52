/** Runs processes: the launcher, identity, trees, signals, adoption. */
@NullMarked
package dev.holdfast.host;

import org.jspecify.annotations.NullMarked;
