/** The tools that Claude Code gives its models (decision 0029). */
@NullMarked
package dev.holdfast.tool.claude;

import org.jspecify.annotations.NullMarked;
