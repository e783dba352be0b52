package dev.holdfast.shell.program;

import dev.holdfast.shell.word.Cells;
import dev.holdfast.shell.word.Escape;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What a command prints that only repeats what it is given. */
public final class Printed {
    private static final Set<String> REPEATING = Set.of("echo", "printf", "cat", "tee");

    private static final Pattern CONVERSION = Pattern.compile("%(?:%|[-+ 0#]*[0-9]*(?:[.][0-9]*)?[a-zA-Z])");
    private static final Pattern LINE = Pattern.compile("\\\\n");
    private static final Pattern ANY = Pattern.compile("(?s)\\\\.");
    private static final int LONGEST = 100_000;

    private Printed() {}

    /**
     * @param input what it gets; null where that is not known
     * @return a pattern where the shell looks for files for one of its words
     */
    public static @Nullable Word by(List<Word> words, @Nullable Word input) {
        String program = words.getFirst().name();
        if (!REPEATING.contains(program)) {
            return null;
        }
        String options = program.equals("echo") ? "-[neE]+" : "-[a-zA-Z-]+";
        List<Word> operands = words.stream()
                .skip(1)
                .dropWhile(word -> word.text().matches(options))
                .toList();
        return switch (program) {
            case "echo", "printf" -> operands.isEmpty() ? null : given(words, operands);
            case "cat" -> operands.isEmpty() || operands.getFirst().text().equals("-") ? input : null;
            default -> input;
        };
    }

    private static @Nullable Word given(List<Word> words, List<Word> operands) {
        Word printed;
        if (words.getFirst().name().equals("printf")) {
            printed = printf(escaped(operands.getFirst()), operands.subList(1, operands.size()));
        } else {
            boolean escapes = words.subList(0, words.size() - operands.size()).stream()
                    .anyMatch(option -> option.text().matches("-[nE]*e.*"));
            Word all = Cells.joined(operands);
            printed = escapes ? escaped(all) : lines(all);
        }
        boolean pattern = operands.stream().anyMatch(Word::pattern);
        return printed == null || !pattern
                ? printed
                : new Word(printed.text(), printed.known(), true, printed.places(), printed.start(), printed.end());
    }

    /** The format as often as there are values left for it; null where that is too much. */
    private static @Nullable Word printf(Word format, List<Word> values) {
        Cells cells = new Cells();
        int taken = 0;
        int before;
        do {
            before = taken;
            Matcher conversion = CONVERSION.matcher(format.text());
            int at = 0;
            while (conversion.find()) {
                cells.add(format, at, conversion.start());
                if (conversion.group().equals("%%")) {
                    cells.add(format, conversion.start(), conversion.start() + 1);
                } else if (taken < values.size()) {
                    Word given = values.get(taken++);
                    Word value = conversion.group().equals("%b") ? escaped(given) : given;
                    cells.add(value, 0, value.text().length());
                }
                at = conversion.end();
            }
            cells.add(format, at, format.text().length());
        } while (taken > before && taken < values.size() && cells.length() < LONGEST);
        boolean whole = taken == before || taken == values.size();
        return whole ? cells.words(format.start(), format.end(), "").getFirst() : null;
    }

    /** With each {@code \\n} as the new line that it means to some shells. */
    private static Word lines(Word word) {
        return unescaped(word, LINE);
    }

    /** With what each escape stands for. */
    private static Word escaped(Word word) {
        return unescaped(word, ANY);
    }

    private static Word unescaped(Word word, Pattern which) {
        String text = word.text();
        Matcher escape = which.matcher(text);
        StringBuilder all = new StringBuilder();
        IntStream.Builder places = IntStream.builder();
        int at = 0;
        while (at < text.length()) {
            boolean escapes = escape.region(at, text.length()).lookingAt();
            Escape one = escapes ? Escape.at(text, at, text.length()) : new Escape(text.substring(at, at + 1), at + 1);
            // Between the words that xargs -0 reads, as the end of a line is between those that it reads without.
            all.append(one.text().replace('\0', '\n'));
            for (int i = 0; i < one.text().length(); i++) {
                places.add(word.places()[at]);
            }
            at = one.end();
        }
        return new Word(
                all.toString(), word.known(), word.pattern(), places.build().toArray(), word.start(), word.end());
    }
}
