package dev.holdfast.audit;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** The files of a journal, each named by the {@code seq} of its first line, so that names sort as lines do. */
record JournalFiles(Path folder) {
    private static final Pattern NAME = Pattern.compile("[0-9]{19}\\.jsonl");

    /** The one that begins with that line. */
    Path beginning(long seq) {
        return folder.resolve(String.format("%019d.jsonl", seq));
    }

    /** The {@code seq} of its first line. */
    static long first(Path file) {
        return Long.parseLong(file.getFileName().toString().substring(0, 19));
    }

    /** The oldest first; none also when the folder cannot be read. */
    List<Path> all() {
        String[] names = Objects.requireNonNullElse(folder.toFile().list(), new String[0]);
        return Arrays.stream(names)
                .filter(name -> NAME.matcher(name).matches())
                .sorted()
                .map(folder::resolve)
                .toList();
    }

    /** Deletes the oldest, but for so many. */
    void keep(int count) {
        List<Path> files = all();
        files.subList(0, Math.max(0, files.size() - count)).stream()
                .map(Path::toFile)
                .forEach(File::delete);
    }
}
