package dev.holdfast.cli.server;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What to do about a refusal, in words of this command: the server's own hint speaks of its calls. */
public final class Hints {
    private static final Pattern DELETED = Pattern.compile("DELETE /v1/tokens/([A-Za-z0-9._-]*[A-Za-z0-9_-])");
    private static final Pattern TASK = Pattern.compile("task_[0-9A-Z]{26}");

    private Hints() {}

    /** Empty when nobody knows any. */
    public static String of(Refused refused) {
        Matcher named = TASK.matcher(String.valueOf(refused.getMessage()));
        String task = named.find() ? named.group() : "ID";
        return switch (refused.problem().path("kind").asText()) {
            case "task_running" -> "Stop it first: holdfast stop " + task;
            case "task_not_running" ->
                "holdfast status " + task + " tells how it ended, holdfast logs what it printed.";
            case "task_not_found" ->
                refused.problem().at("/details/in_window").asBoolean()
                        ? refused.hint()
                        : "holdfast ps -a lists what is there.";
            case "approval_not_found", "approval_decided" -> "holdfast approvals -a lists them, answered ones too.";
            case "unauthorized" ->
                "Give the right token with --token or HOLDFAST_TOKEN; the server's own is in the file token of its data folder.";
            case "workdir_not_found" -> "-w names a folder that is there, from this one on.";
            case "token_not_found" -> "holdfast token list tells which there are.";
            case "capacity_exhausted" -> "holdfast ps lists what runs, holdfast stop ends one.";
            case "storage_full" ->
                refused.hint().contains("ulimit")
                        ? refused.hint()
                        : "Make room: holdfast rm forgets ended tasks with their output.";
            case "input_not_accepted" ->
                refused.problem().at("/details/longest_line_bytes").isMissingNode()
                        ? "What is to be typed into is started with holdfast run -i or -t."
                        : "Send shorter lines, or start it with holdfast run -i: that takes lines of any length.";
            case "not_a_terminal" -> "holdfast logs shows what it printed; holdfast run -t gives a command a terminal.";
            default -> {
                String hint = DELETED.matcher(refused.hint())
                        .replaceAll("holdfast token rm $1")
                        .replace("use cmd instead of argv", "write it as one word, in quotes")
                        .replaceAll("; (escape .* inside JSON|the \\+ of an offset .* in a URL)", "");
                yield hint.contains("/v1/") ? "" : hint;
            }
        };
    }
}
