/** The tools that agents call: one class each, a package a profile, and one registry before them all. */
@NullMarked
package dev.holdfast.tool;

import org.jspecify.annotations.NullMarked;
