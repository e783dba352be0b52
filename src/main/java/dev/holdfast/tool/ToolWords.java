package dev.holdfast.tool;

import dev.holdfast.runtime.call.Refusal;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a refusal tells callers of REST to do, for a model: it has tools, and no way to a path. One of another design's
 * tools, which have no names of ours, is told the command.
 */
final class ToolWords {
    private static final String ID = "[\\w{}]+";

    private static final List<Word> WORDS = List.of(
            new Word("GET /v1/tasks\\?status=all", "TaskList (status=all)", "`holdfast ps -a`"),
            new Word("GET /v1/tasks", "TaskList", "`holdfast ps`"),
            new Word("POST /v1/commands", "ExecCommand", "the tool that started it"),
            new Word("POST /v1/tasks/" + ID + "/stop", "TaskStop", "`holdfast stop`"),
            new Word("DELETE /v1/tasks/" + ID, "`holdfast rm`", "`holdfast rm`"),
            new Word("GET /v1/approvals(\\?[\\w=]+|/" + ID + ")?", "`holdfast approvals`", "`holdfast approvals`"));

    private ToolWords() {}

    /** A call of REST, and what stands for it. */
    private record Word(Pattern call, String tool, String command) {
        Word(String call, String tool, String command) {
            this(Pattern.compile(call), tool, command);
        }
    }

    static Refusal of(Profile profile, Refusal refusal) {
        String hint = refusal.recoveryHint();
        for (Word word : WORDS) {
            hint = word.call().matcher(hint).replaceAll(profile == Profile.HOLDFAST ? word.tool() : word.command());
        }
        return hint.equals(refusal.recoveryHint())
                ? refusal
                : new Refusal(refusal.kind(), refusal.getMessage(), hint, refusal.details());
    }
}
