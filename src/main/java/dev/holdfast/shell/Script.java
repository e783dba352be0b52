package dev.holdfast.shell;

import dev.holdfast.shell.SimpleCommand.Assignment;
import dev.holdfast.shell.word.Word;
import java.util.List;

/**
 * What a shell text runs.
 *
 * @param commands in the order of the text, those in functions, substitutions and texts for other shells among them
 * @param understood false where the text, or a part of it, follows no grammar, or is nested too deep: what was found is
 *     listed, and there may be more
 * @param unread whether a part of it was not looked at, since it takes too long, or is nested too deep: not understood
 * @param assignments all of them, also those in front of commands
 * @param asides words that are in no command, each run of them: of an array, a loop, a test
 * @param comments each with its sign
 * @param hereDocuments their bodies with their last lines, those in texts for other shells among them
 * @param bomb whether a function of it starts itself twice at once, each time
 */
public record Script(
        List<SimpleCommand> commands,
        List<Assignment> assignments,
        boolean understood,
        boolean unread,
        List<List<Word>> asides,
        List<Word> comments,
        List<HereDocument> hereDocuments,
        boolean bomb) {
    /**
     * @param start of its first line in the text
     * @param end after its last line
     * @param open whether the line that ends it is missing
     */
    public record HereDocument(int start, int end, boolean open) {}
}
