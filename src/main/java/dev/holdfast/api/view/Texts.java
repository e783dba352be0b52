package dev.holdfast.api.view;

import dev.holdfast.runtime.BatchAnswer;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandSpec;

/** The words in answers. */
public final class Texts {
    static final String INSTRUCTIONS = "Set duplicate_policy=\"start_new\" to start another instance.";

    private Texts() {}

    public static String receipt(CommandAnswer answer) {
        return answer.toString();
    }

    public static String receipt(BatchAnswer answer) {
        return answer.toString();
    }

    static String summary(CommandAnswer answer) {
        return answer.toString();
    }

    static String summary(BatchAnswer answer) {
        return answer.toString();
    }

    static String summary(CommandSpec command) {
        return command.invocation().text();
    }

    public static String failure(String message, String recoveryHint) {
        return "Command failed\n\n" + message + "\n" + recoveryHint + "\n";
    }
}
