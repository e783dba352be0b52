/** The tools over the Model Context Protocol: they are registered with the library that speaks it. */
@NullMarked
package dev.holdfast.tool.mcp;

import org.jspecify.annotations.NullMarked;
