/** The tools that Gemini CLI gives its models (decision 0029). */
@NullMarked
package dev.holdfast.tool.gemini;

import org.jspecify.annotations.NullMarked;
