/** A command's folder, its record and launcher, and how it is started. */
@NullMarked
package dev.holdfast.host.launch;

import org.jspecify.annotations.NullMarked;
