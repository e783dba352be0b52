package dev.holdfast.task;

/**
 * What is known of a command by looking at its text.
 *
 * @param cmdPreview at most 240 characters, secrets masked, here-documents left out
 * @param outputCharBudget characters of output an answer may hold: 4 a token
 */
public record CommandDiagnostics(
        String cmdPreview,
        int cmdCharCount,
        int cmdEstimatedTokens,
        boolean containsHeredoc,
        boolean containsInlineScript,
        boolean exceedsSoftThreshold,
        int effectiveMaxOutputTokens,
        int outputCharBudget) {}
