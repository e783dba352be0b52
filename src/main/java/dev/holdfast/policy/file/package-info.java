/** Files that people write to say who may do what: read strictly, each flaw with its line, and again as they change. */
@NullMarked
package dev.holdfast.policy.file;

import org.jspecify.annotations.NullMarked;
