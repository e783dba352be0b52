/** The tools that Codex gives its models (decision 0029). */
@NullMarked
package dev.holdfast.tool.codex;

import org.jspecify.annotations.NullMarked;
