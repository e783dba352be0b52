package dev.holdfast.acceptance;

import dev.holdfast.task.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tokens file of a server; the token of each is of-NAME. */
final class TokensFile {
    private TokensFile() {}

    /** @param more keys, each with a comma in front */
    static String entry(String name, String role, String... more) {
        return "  - {name: " + name + ", sha256: " + Sha256.of("of-" + name) + ", role: " + role + String.join("", more)
                + "}\n";
    }

    /** @param bearers names with their roles: {@code alice agent} */
    static void with(PackagedServer server, String... bearers) throws IOException {
        write(
                server,
                Stream.of(bearers)
                        .map(bearer -> bearer.split(" ", 2))
                        .map(words -> entry(words[0], words[1]))
                        .collect(Collectors.joining("", "tokens:\n", "")));
    }

    static void write(PackagedServer server, String text) throws IOException {
        Path draft = Files.writeString(server.data().resolve("tokens.draft"), text);
        Files.move(draft, server.data().resolve("tokens.yaml"), StandardCopyOption.ATOMIC_MOVE);
    }
}
