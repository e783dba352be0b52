package dev.holdfast.shell.grammar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The libraries of tree-sitter, which its jars bring for x86-64 and arm64 with glibc. */
final class Libraries {
    /** The name of a system property: a folder of the server's own. */
    private static final String OWN = "dev.holdfast.libraries";

    private Libraries() {}

    /** For this class' loader, from the first place that does: /tmp may be read-only, or allow no libraries. */
    static void load() throws IOException {
        try {
            load(Path.of(System.getProperty("java.io.tmpdir")));
        } catch (IOException | UnsatisfiedLinkError unusable) {
            load(Path.of(System.getProperty(OWN, "")));
        }
    }

    private static void load(Path place) throws IOException {
        String arch = System.getProperty("os.arch").replace("amd64", "x86_64");
        Path folder = Files.createTempDirectory(place, "holdfast-shell-");
        try {
            for (String library : List.of("tree-sitter", "tree-sitter-bash")) {
                String name = arch + "-linux-gnu-" + library + ".so";
                try (InputStream in = Libraries.class.getResourceAsStream("/lib/" + name)) {
                    Files.copy(Objects.requireNonNull(in, name), folder.resolve(name));
                }
                System.load(folder.resolve(name).toString());
            }
        } finally {
            delete(folder); // once they are loaded no file is needed
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
