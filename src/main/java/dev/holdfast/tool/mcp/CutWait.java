package dev.holdfast.tool.mcp;

import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import java.time.Duration;

/** What a model is told when its wait was cut, since its client would have given up. */
final class CutWait {
    private CutWait() {}

    static String told(Tool<?> tool, Duration limit) {
        return "The wait was cut at " + limit.toSeconds() + " s, as long as a call over MCP waits. "
                + (tool.name().equals("ExecCommandBatch")
                        ? "What ran then goes on as the task that it names, the rest was skipped: send that again as a batch of"
                                + " its own, or let your client ask for progress, for then no wait is cut."
                        : "The command goes on" + next(tool.profile()));
    }

    /** The classic designs have nothing to wait on with. */
    private static String next(Profile profile) {
        return switch (profile) {
            case HOLDFAST, CLAUDE -> ": call TaskOutput to wait on.";
            case CODEX -> ": call write_stdin to wait on.";
            case GEMINI -> ": call read_background_output to wait on.";
            case CLASSIC ->
                ". Read on in the file that it writes to (where a wall hides it from commands, with a file tool of your own);"
                        + " the same call again would start it once more.";
        };
    }
}
