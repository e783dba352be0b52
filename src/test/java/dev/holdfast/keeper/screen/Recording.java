package dev.holdfast.keeper.screen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a program printed, and what tmux shows for it; made by {@code record.py} beside the recordings.
 *
 * @param shown cursor, screen and title, then the rows as {@link Painter#row} writes them
 */
record Recording(String name, List<Part> parts, List<String> shown) {
    private static final Path FOLDER = Path.of("src/test/resources/screens");

    /** What was printed while the terminal had one size. */
    record Part(int rows, int cols, byte[] bytes) {}

    static List<Recording> all() throws IOException {
        List<Recording> all = new ArrayList<>();
        for (Path file : files(".*\\.txt")) {
            String name = file.getFileName().toString().replace(".txt", "");
            List<Part> parts = new ArrayList<>();
            for (Path part : files(name + "\\.\\d\\..*")) {
                String[] size =
                        part.getFileName().toString().split("\\.", -1)[2].split("x", -1);
                parts.add(new Part(Integer.parseInt(size[0]), Integer.parseInt(size[1]), Files.readAllBytes(part)));
            }
            all.add(new Recording(name, parts, Files.readAllLines(file)));
        }
        return all;
    }

    private static List<Path> files(String pattern) throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.getFileName().toString().matches(pattern))
                    .sorted()
                    .toList();
        }
    }

    List<String> played() {
        Emulator emulator =
                new Emulator(parts.getFirst().rows(), parts.getFirst().cols());
        try {
            EscapeParser escapes = new EscapeParser(new Interpreter(emulator));
            for (Part part : parts) {
                emulator.resize(part.rows(), part.cols());
                escapes.take(part.bytes());
            }
            return written(emulator);
        } finally {
            emulator.close();
        }
    }

    /** A screen, written as in {@link #shown}: tmux does not tell what was erased with a background at a row's end. */
    private static List<String> written(Emulator screen) {
        Picture picture = Painter.paint(screen);
        List<String> lines = new ArrayList<>();
        lines.add("cursor " + picture.cursorRow() + " " + picture.cursorCol() + " "
                + (picture.cursorVisible() ? "visible" : "hidden"));
        lines.add("alternate " + picture.alternateScreen());
        lines.add(("title " + picture.title()).strip());
        for (int y = 0; y < screen.rows; y++) {
            lines.add(Painter.row(screen, screen.grid, y).replaceFirst("((^|\033\\[0(;48[;\\d]+)?m) *)+$", ""));
        }
        return lines;
    }

    @Override
    public String toString() {
        return name;
    }
}
