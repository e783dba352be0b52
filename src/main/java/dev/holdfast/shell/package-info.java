/** Shell text as the simple commands that it runs. The one place that reads shell. */
@NullMarked
package dev.holdfast.shell;

import org.jspecify.annotations.NullMarked;
