package dev.holdfast.shell.program;

import dev.holdfast.shell.word.Cells;
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
    private static final int LONGEST = 100_000;

    private Printed() {}

    /** @param input what it gets; null where that is not known */
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
            case "echo" -> operands.isEmpty() ? null : lines(Runner.joined(operands));
            case "printf" ->
                operands.isEmpty() ? null : printf(operands.getFirst(), operands.subList(1, operands.size()));
            case "cat" -> operands.isEmpty() || operands.getFirst().text().equals("-") ? input : null;
            default -> input;
        };
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
                    Word value = values.get(taken++);
                    cells.add(value, 0, value.text().length());
                }
                at = conversion.end();
            }
            cells.add(format, at, format.text().length());
        } while (taken > before && taken < values.size() && cells.length() < LONGEST);
        boolean whole = taken == before || taken == values.size();
        return whole ? lines(cells.words(format.start(), format.end(), "").getFirst()) : null;
    }

    /** With each {@code \\n} as the new line that it means. */
    private static Word lines(Word word) {
        if (!word.text().contains("\\n")) {
            return word;
        }
        int[] kept = IntStream.range(0, word.text().length())
                .filter(i -> i == 0 || !word.text().startsWith("\\n", i - 1))
                .toArray();
        StringBuilder text = new StringBuilder();
        for (int i : kept) {
            text.append(word.text().startsWith("\\n", i) ? '\n' : word.text().charAt(i));
        }
        int[] places = IntStream.of(kept).map(i -> word.places()[i]).toArray();
        return new Word(text.toString(), word.known(), word.pattern(), places, word.start(), word.end());
    }
}
