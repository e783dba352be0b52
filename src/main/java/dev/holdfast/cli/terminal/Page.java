package dev.holdfast.cli.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the command prints. On a terminal with colours where that has some and nobody minds, in a pipe plain. */
public final class Page {
    public static final boolean TERMINAL = Boolean.getBoolean("holdfast.terminal");
    /** As no-color.org asks. */
    private static final boolean COLOURS = TERMINAL
            && System.getenv().getOrDefault("NO_COLOR", "").isEmpty()
            && !System.getenv().getOrDefault("TERM", "dumb").equals("dumb");

    /** Letters that take two columns of a terminal: most of East Asia's, and pictures. */
    private static final Pattern WIDE = Pattern.compile("[\\x{1100}-\\x{115F}\\x{2E80}-\\x{303E}\\x{3041}-\\x{A4CF}"
            + "\\x{AC00}-\\x{D7A3}\\x{F900}-\\x{FAFF}\\x{FE30}-\\x{FE6F}\\x{FF00}-\\x{FF60}\\x{FFE0}-\\x{FFE6}"
            + "\\x{20000}-\\x{3FFFD}\\p{IsEmoji_Presentation}]");
    /** Marks on the letter before, which take none. */
    private static final Pattern NARROW = Pattern.compile("[\\p{Mn}\\p{Me}]");

    private static final int FIRST_MARK = 0x300;

    public static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);
    public static final OutputStream ERR = new FileOutputStream(FileDescriptor.err);
    /** Guarded by {@link #OUT}. */
    private static boolean over;

    /** Nobody reads any more. */
    public static final class Closed extends RuntimeException {}

    private Page() {}

    /** Told about tasks: what could hide something is written out. */
    public static void line(String text) {
        output(Plain.text(text));
    }

    /** Printed by a task, and so as it is. */
    public static void output(String text) {
        write(OUT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Where nobody can be told, nobody is; the exit code says it. */
    public static void note(String text) {
        Progress.wipe();
        try {
            ERR.write(("holdfast: " + Plain.text(text) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException unheard) {
            return;
        }
    }

    public static void json(JsonNode answer) {
        output(TERMINAL ? Plain.json(answer.toString()) : answer.toString());
    }

    /**
     * @throws Closed the other end of the pipe is
     * @throws Failure it cannot be written for another reason, as on a full disk
     */
    public static void write(OutputStream to, byte[] bytes) {
        try {
            synchronized (to) {
                if (to != OUT || !over) {
                    to.write(bytes);
                }
            }
        } catch (IOException failed) {
            if (closed(to, failed)) {
                throw new Closed();
            }
            throw new Failure("what it prints cannot be written: " + failed.getMessage());
        }
    }

    /** Whoever still prints to {@link #OUT} prints nothing after this. */
    static void last(String text) {
        synchronized (OUT) {
            write(OUT, text.getBytes(StandardCharsets.UTF_8));
            over = true;
        }
    }

    /** The words of the system are those of its language, but pipes, sockets and terminals fail in this way alone. */
    private static boolean closed(OutputStream to, IOException failed) {
        try {
            Path file = Files.readSymbolicLink(Path.of("/proc/self/fd", to == ERR ? "2" : "1"));
            return "Broken pipe".equals(failed.getMessage())
                    || file.toString().matches("(pipe|socket):.*|/dev/(pts/|tty).*");
        } catch (IOException unknown) {
            return true;
        }
    }

    /** Its second column says how each row stands, and alone has colours. */
    public static final class Table {
        private static final int STATE = 1;

        private final List<List<String>> rows = new ArrayList<>();

        public Table(String... heads) {
            rows.add(List.of(heads));
        }

        public void row(String... cells) {
            rows.add(Stream.of(cells).map(Plain::line).toList());
        }

        /** What else there is to say of the row before, on a line of its own. */
        public void under(String text) {
            rows.add(List.of("    " + Plain.line(text)));
        }

        public void print() {
            print(Integer.MAX_VALUE);
        }

        /** @param room for a line, in columns; what has less for its last column is cut there */
        public void print(int room) {
            List<Integer> widths = new ArrayList<>();
            for (int column = 0; column < rows.getFirst().size(); column++) {
                int of = column;
                widths.add(rows.stream()
                        .filter(row -> row.size() > 1)
                        .mapToInt(row -> width(row.get(of)))
                        .max()
                        .orElse(0));
            }
            int last = Math.max(
                    10, room - widths.stream().mapToInt(width -> width + 2).sum() + widths.getLast() + 2);
            for (List<String> row : rows) {
                var line = new StringBuilder();
                for (int column = 0; column < row.size(); column++) {
                    String cell = row.get(column);
                    String shown = column == widths.size() - 1 ? shortened(cell, last) : cell;
                    line.append(column == STATE ? coloured(shown) : shown)
                            .repeat(' ', Math.max(0, widths.get(column) - width(cell)) + 2);
                }
                String text = line.toString().stripTrailing();
                output(row == rows.getFirst() ? bold(text) : text);
            }
        }
    }

    private static String shortened(String text, int most) {
        if (width(text) <= most) {
            return text;
        }
        int end = 0;
        int left = most - 1 - width(text.codePointAt(0));
        while (left >= 0) {
            end = text.offsetByCodePoints(end, 1);
            left -= width(text.codePointAt(end));
        }
        return text.substring(0, end) + "…";
    }

    /** In columns of a terminal. */
    private static int width(String text) {
        return text.codePoints().map(Page::width).sum();
    }

    private static int width(int letter) {
        if (letter < FIRST_MARK) {
            return 1;
        }
        String text = Character.toString(letter);
        return WIDE.matcher(text).matches() ? 2 : NARROW.matcher(text).matches() ? 0 : 1;
    }

    private static String bold(String text) {
        return COLOURS ? "\033[1m" + text + "\033[0m" : text;
    }

    /** What runs stands out, what failed too; no wall of red. */
    private static String coloured(String state) {
        return COLOURS
                ? state.replaceFirst("^(running|pending|allowed)", "\033[32m$1\033[0m")
                        .replaceFirst("^(failed( \\(\\S+\\))?|interrupted|denied)", "\033[31m$1\033[0m")
                : state;
    }

    public static String joined(JsonNode list) {
        return joined(list, ", ");
    }

    public static String joined(JsonNode list, String between) {
        return list.valueStream().map(JsonNode::asText).collect(Collectors.joining(between));
    }
}
