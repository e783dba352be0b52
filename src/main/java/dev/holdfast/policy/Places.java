package dev.holdfast.policy;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.program.Directory;
import dev.holdfast.shell.word.Word;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which folders and programs words mean: by their letters, and by their real path. */
final class Places {
    /** What nobody means to lose; not what is in them. */
    private static final List<Path> SYSTEM = Stream.of(
                    ("/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /sbin /srv /sys /usr"
                                    + " /usr/bin /usr/lib /usr/lib64 /usr/local /usr/sbin /usr/share /var /var/lib")
                            .split(" ", -1))
            .map(Path::of)
            .toList();

    /** What the shell takes for all that is in a folder. */
    private static final Set<String> ALL_IN_IT = Set.of("*", "**", ".*", "?*", ".[!.]*", ".??*", "..?*");

    private static final Path ROOT = Path.of("/");
    private static final int MAX_DEAD_LINKS = 8;
    private static final List<Path> SYSTEM_AND_HOME = withHome();

    private Places() {}

    /** Where a command runs, by its letters; empty where that is not known. */
    static Optional<Path> directory(Action action, SimpleCommand command) {
        String directory = command.directory();
        return directory == null ? Optional.empty() : path(action.workdir(), directory);
    }

    private static Optional<Path> path(Path from, String text) {
        try {
            return Optional.of(from.resolve(text));
        } catch (InvalidPathException none) {
            return Optional.empty();
        }
    }

    /** The path itself, and where links lead; of what is not there, as far as it is. */
    static List<Path> meant(Path path) {
        return List.of(path.normalize(), real(path));
    }

    /** {@code ..} behind a link leaves the folder that the link leads to, so nothing is taken together before. */
    static Path real(Path path) {
        return real(path, MAX_DEAD_LINKS);
    }

    private static Path real(Path path, int deadLinks) {
        for (Path there = path; there != null; there = there.getParent()) {
            Path rest = there.relativize(path);
            try {
                if (deadLinks > 0 && Files.isSymbolicLink(there) && Files.notExists(there)) {
                    Path target = there.resolveSibling(Files.readSymbolicLink(there));
                    return real(target.resolve(rest), deadLinks - 1);
                }
                if (Files.exists(there)) {
                    return there.toRealPath().resolve(rest).normalize();
                }
            } catch (IOException notThere) {
                // its folder, then
            }
        }
        return path.normalize();
    }

    /**
     * Whether a word means the root, a folder of the system or, if that counts, the home folder, or all that is in it.
     */
    static boolean isGreat(Action action, SimpleCommand command, Word word, boolean homeCounts) {
        if (!word.known() || word.text().length() > Directory.LONGEST) {
            return false;
        }
        Optional<Path> from = word.text().startsWith("/") ? Optional.of(ROOT) : directory(action, command);
        return from.flatMap(folder -> path(folder, word.text()))
                .filter(path -> isGreat(path, word.pattern(), homeCounts))
                .isPresent();
    }

    static boolean isGreat(Path path, boolean pattern, boolean homeCounts) {
        Path folder = path;
        while (pattern
                && folder.getFileName() != null
                && ALL_IN_IT.contains(folder.getFileName().toString())) {
            folder = folder.resolveSibling("");
        }
        List<Path> meant = meant(folder);
        List<Path> great = homeCounts ? SYSTEM_AND_HOME : SYSTEM;
        if (meant.stream().anyMatch(great::contains)) {
            return true;
        }
        return pattern && meant.stream().anyMatch(one -> matchesAny(one, great));
    }

    /** {@code /u*}. */
    private static boolean matchesAny(Path pattern, List<Path> great) {
        if (!pattern.toString().matches(".*[*?\\[].*")) {
            return false;
        }
        try {
            PathMatcher glob = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
            return great.stream().anyMatch(glob::matches);
        } catch (RuntimeException none) {
            return false;
        }
    }

    /** With the home folder, by its letters and by its real path. */
    private static List<Path> withHome() {
        List<Path> great = new ArrayList<>(SYSTEM);
        String home = System.getenv("HOME");
        if (home != null && home.startsWith("/")) {
            great.add(Path.of(home).normalize());
            great.add(real(Path.of(home)));
        }
        return List.copyOf(great);
    }

    /** The real path of a program: of a name, that of the first on the server's PATH. */
    static @Nullable Path program(Action action, SimpleCommand command, String name) {
        Stream<Path> candidates = name.indexOf('/') >= 0
                ? directory(action, command).flatMap(folder -> path(folder, name)).stream()
                : Stream.of(String.valueOf(System.getenv("PATH")).split(":", -1))
                        .filter(folder -> folder.startsWith("/"))
                        .flatMap(folder -> path(Path.of(folder), name).stream());
        return candidates
                .filter(Files::isExecutable)
                .findFirst()
                .map(Places::real)
                .orElse(null);
    }
}
