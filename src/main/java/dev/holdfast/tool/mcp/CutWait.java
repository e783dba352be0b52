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
                        ? "What ran then was stopped, the rest skipped: run what takes long with ExecCommand."
                        : "The command goes on: call " + next(tool.profile()) + " to wait on.");
    }

    private static String next(Profile profile) {
        return switch (profile) {
            case HOLDFAST, CLAUDE -> "TaskOutput";
            case CODEX -> "write_stdin";
            case GEMINI -> "read_background_output";
            case CLASSIC -> "the tool again";
        };
    }
}
