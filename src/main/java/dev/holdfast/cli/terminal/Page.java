package dev.holdfast.cli.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the command prints. On a terminal with colours, in a pipe plain. */
public final class Page {
    public static final boolean TERMINAL = Boolean.getBoolean("holdfast.terminal");
    public static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);
    public static final OutputStream ERR = new FileOutputStream(FileDescriptor.err);

    /** Nobody reads any more. */
    public static final class Closed extends RuntimeException {}

    private Page() {}

    public static void line(String text) {
        write(OUT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    public static void note(String text) {
        write(ERR, ("holdfast: " + text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    public static void json(JsonNode answer) {
        line(answer.toString());
    }

    /** @throws Closed the other end of the pipe is */
    public static void write(OutputStream to, byte[] bytes) {
        try {
            to.write(bytes);
        } catch (IOException closed) {
            throw new Closed();
        }
    }

    public static final class Table {
        private final List<List<String>> rows = new ArrayList<>();

        public Table(String... heads) {
            rows.add(List.of(heads));
        }

        public void row(String... cells) {
            rows.add(List.of(cells));
        }

        public void print() {
            List<Integer> widths = new ArrayList<>();
            for (int column = 0; column < rows.getFirst().size(); column++) {
                int of = column;
                widths.add(rows.stream()
                        .mapToInt(row -> row.get(of).length())
                        .max()
                        .orElse(0));
            }
            for (List<String> row : rows) {
                var line = new StringBuilder();
                for (int column = 0; column < row.size(); column++) {
                    line.append(row.get(column))
                            .repeat(' ', widths.get(column) - row.get(column).length() + 2);
                }
                line(
                        row == rows.getFirst()
                                ? bold(line.toString().stripTrailing())
                                : coloured(line.toString().stripTrailing()));
            }
        }
    }

    private static String bold(String text) {
        return TERMINAL ? "\033[1m" + text + "\033[0m" : text;
    }

    /** What runs stands out, what failed too; no wall of red. */
    private static String coloured(String line) {
        return TERMINAL
                ? line.replaceFirst("\\b(running|pending|allow)\\b", "\033[32m$1\033[0m")
                        .replaceFirst("\\b(failed( \\(\\S+\\))?|interrupted|deny)", "\033[31m$1\033[0m")
                : line;
    }

    public static String joined(JsonNode list, Function<JsonNode, String> each) {
        return list.valueStream().map(each).collect(Collectors.joining(", "));
    }
}
