package dev.holdfast.shell.program;

import dev.holdfast.shell.word.Variables;
import dev.holdfast.shell.word.Word;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a shell stands, by the {@code cd} in its text. */
public final class Directory {
    /** Of a path that a system call takes (PATH_MAX). */
    public static final int LONGEST = 4096;

    private Directory() {}

    /** After {@code cd} with these words; null where that is not known. */
    public static @Nullable String after(List<Word> words, @Nullable String before, Variables variables) {
        List<Word> operands = words.stream()
                .skip(1)
                .filter(word -> !word.text().startsWith("-") || word.text().equals("-"))
                .toList();
        if (operands.isEmpty()) {
            return variables.get("HOME").map(home -> home.getFirst().text()).orElse(null);
        }
        Word to = operands.getFirst();
        if (!to.known()
                || to.pattern()
                || to.text().equals("-")
                || (before == null && !to.text().startsWith("/"))) {
            return null;
        }
        String after = to.text().startsWith("/") || "".equals(before) ? to.text() : before + "/" + to.text();
        return after.length() > LONGEST ? null : after;
    }
}
