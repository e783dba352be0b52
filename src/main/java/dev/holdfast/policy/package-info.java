/**
 * What may run, and who says so: the classes of commands, the built-in protections, and the rules of the policy file.
 */
@NullMarked
package dev.holdfast.policy;

import org.jspecify.annotations.NullMarked;
