/** The shell tools of agent tutorials, libraries, gateways and kits. */
@NullMarked
package dev.holdfast.tool.classic;

import org.jspecify.annotations.NullMarked;
