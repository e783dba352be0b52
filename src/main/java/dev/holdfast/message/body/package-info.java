/**
 * Request bodies and parameters: read strictly, every field by name, type and bounds. What does not fit is refused as
 * {@code invalid_tool_input}, naming the field.
 */
@NullMarked
package dev.holdfast.message.body;

import org.jspecify.annotations.NullMarked;
