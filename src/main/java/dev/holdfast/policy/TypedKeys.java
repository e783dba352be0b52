package dev.holdfast.policy;

import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.classes.CommandClass;
import java.util.EnumSet;
import java.util.List;
import java.util.regex.Pattern;

/** What is typed in a terminal whose program is no shell. */
final class TypedKeys {
    /**
     * Those that move about in a pager or leave it: space, Enter, q, ctrl-c, ctrl-d, the cursor's and the page's
     * (ECMA-48, with CSI or SS3), and what a terminal says by itself: that it has the focus, where the cursor is, what
     * it can do.
     */
    private static final Pattern MOVING =
            Pattern.compile("[ \\r\\nq\\x03\\x04]|\\x1b(?:[\\[O][A-DFH]|\\[(?:[145678]~|[IO]|[0-9;]*R|[?>][0-9;]*c))");

    private TypedKeys() {}

    static boolean onlyMove(String typed) {
        return MOVING.matcher(typed).replaceAll("").isEmpty();
    }

    static Verdict denied(String typed) {
        String why =
                "Only what is read-only runs, and a pager runs what follows `!`: into a program that is no shell go"
                        + " space, Enter, q, ctrl-c, ctrl-d and the keys of the cursor alone.";
        return new Verdict(
                Decision.DENY,
                "mode.plan",
                why,
                List.of(typed),
                EnumSet.of(CommandClass.UNKNOWN),
                Mode.PLAN,
                List.of(),
                null);
    }
}
