/** Walls around commands, made by bubblewrap: whether they can be had, and what stands behind them. */
@NullMarked
package dev.holdfast.host.sandbox;

import org.jspecify.annotations.NullMarked;
