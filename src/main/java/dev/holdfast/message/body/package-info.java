/** Request bodies and parameters: read strictly, every field by name, type and bounds. */
@NullMarked
package dev.holdfast.message.body;

import org.jspecify.annotations.NullMarked;
