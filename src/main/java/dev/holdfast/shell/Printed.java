package dev.holdfast.shell;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What a command prints that only repeats what it is given. */
final class Printed {
    private static final Set<String> REPEATING = Set.of("echo", "printf", "cat", "tee");

    private Printed() {}

    /** @param input what it gets; null where that is not known */
    static @Nullable Word by(List<Word> words, @Nullable Word input) {
        String program = words.getFirst().name();
        if (!REPEATING.contains(program)) {
            return null;
        }
        List<Word> operands = words.stream()
                .skip(1)
                .dropWhile(word -> word.text().matches("-[a-zA-Z-]+"))
                .toList();
        return switch (program) {
            case "echo" -> operands.isEmpty() ? null : lines(Runner.joined(operands));
            case "printf" -> operands.isEmpty() ? null : printf(operands);
            case "cat" -> operands.isEmpty() || operands.getFirst().text().equals("-") ? input : null;
            default -> input;
        };
    }

    private static Word printf(List<Word> operands) {
        boolean isFormat = operands.size() > 1 && operands.getFirst().text().contains("%");
        return lines(isFormat ? Runner.joined(operands.subList(1, operands.size())) : operands.getFirst());
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
