package dev.holdfast.shell.program;

import dev.holdfast.shell.word.Variables;
import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What {@code find} and {@code xargs} hand over to the program that they run. */
public final class HandedOver {
    /** Of {@code xargs}: {@code -i} has it in its own word, or it is {@code {}}. */
    private static final Pattern GAP = Pattern.compile("(?s)(?:-[0oprtx]*I|-[0oprtx]*i(?=.)|--rep[a-z]*=(?=.))(.*)");

    private static final Pattern PLAIN_GAP = Pattern.compile("-[0oprtx]*i|--rep[a-z]*=?");

    private HandedOver() {}

    /** What {@code find} and {@code xargs -I} put that in place of which they hand over; null where it is added. */
    public static @Nullable String gap(List<Word> words) {
        String program = words.getFirst().name();
        if (!program.equals("xargs")) {
            return program.equals("find") ? "{}" : null;
        }
        List<Word> own = Runner.own(words);
        boolean plain =
                own.stream().anyMatch(word -> PLAIN_GAP.matcher(word.text()).matches());
        return Runner.behind(GAP, own).stream()
                .map(Word::text)
                .filter(gap -> !gap.isEmpty())
                .reduce((_, last) -> last)
                .orElse(plain ? "{}" : null);
    }

    /**
     * The program with the words of the input, as often as it is run: once, or with a gap once for each line.
     *
     * @param words of the program
     */
    public static List<List<Word>> runs(List<Word> xargs, List<Word> words, Word input, Variables variables) {
        String gap = gap(xargs);
        if (gap == null) {
            return input.known()
                    ? List.of(Stream.concat(words.stream(), input.parts().stream())
                            .toList())
                    : List.of(words);
        }
        List<Word> lines = input.lines();
        long length = words.stream().mapToLong(word -> word.text().length()).sum();
        long gaps = words.stream().mapToLong(word -> word.count(gap)).sum();
        long more = (lines.size() - 1) * length + gaps * input.text().length();
        boolean told = input.known() && !input.pattern() && !lines.isEmpty();
        return told && variables.mayRepeat(more)
                ? lines.stream().map(line -> filled(words, gap, line)).toList()
                : List.of(words);
    }

    private static List<Word> filled(List<Word> words, String gap, Word line) {
        return words.stream().map(word -> word.filled(gap, line)).toList();
    }

    /** The commands that {@code find} runs for what it finds: from behind {@code -exec} to {@code ;} or {@code +}. */
    public static List<List<Word>> ofFind(List<Word> words) {
        List<List<Word>> all = new ArrayList<>();
        if (!words.getFirst().name().equals("find")) {
            return all;
        }
        for (int i = 1; i < words.size(); i++) {
            if (Set.of("-exec", "-execdir", "-ok", "-okdir")
                    .contains(words.get(i).text())) {
                int end = i + 1;
                while (end < words.size()
                        && !Set.of(";", "+").contains(words.get(end).text())) {
                    end++;
                }
                if (end > i + 1) {
                    all.add(words.subList(i + 1, end));
                }
                i = end;
            }
        }
        return all;
    }
}
