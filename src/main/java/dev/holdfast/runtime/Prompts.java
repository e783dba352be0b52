package dev.holdfast.runtime;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Facts;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What commands that wait for input ask: the last line that they printed. Thread-safe. */
@Singleton
public record Prompts(OutputStore outputs) {
    private static final int LOOKED_AT = 16 * 1024;
    /** Of a longer line, its end: what draws whole screens prints no other. */
    private static final int MOST_TEXT = 1000;

    /**
     * A question.
     *
     * @param text its line, without the blanks at its end
     * @param printed what there was of the output
     * @param line where the line begins: another place is another question
     */
    public record Prompt(String text, Facts printed, long line) {}

    /** @param unfinished whether no newline follows */
    private record Last(String text, long line, boolean unfinished, long written) {}

    /** Two small reads; null where nothing was printed. */
    public @Nullable Prompt of(TaskId id) {
        Facts facts = outputs.facts(id);
        return Stream.of(StreamName.values())
                .filter(stream -> facts.bytes(stream) > 0)
                .map(stream -> last(id, stream, facts.bytes(stream)))
                .filter(last -> !last.text().isEmpty())
                .max(Comparator.comparing(Last::unfinished).thenComparing(Last::written))
                .map(last -> new Prompt(last.text(), facts, last.line()))
                .orElse(null);
    }

    private Last last(TaskId id, StreamName stream, long end) {
        long from = Math.max(0, end - LOOKED_AT);
        String text = outputs.readText(id, stream, from, LOOKED_AT, false).text();
        String lines = text.stripTrailing();
        String line = lines.substring(lines.lastIndexOf('\n') + 1);
        OutputStore.Slice slice = outputs.read(id, stream, from, LOOKED_AT);
        int begin = new String(slice.bytes(), StandardCharsets.ISO_8859_1).lastIndexOf('\n') + 1;
        return new Last(
                line.substring(Math.max(0, line.length() - MOST_TEXT)),
                slice.start() + begin,
                !text.endsWith("\n"),
                outputs.file(id, stream).toFile().lastModified());
    }
}
