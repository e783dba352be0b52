package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The mode {@code plan}: of the commands of the table, those that it lets run change nothing below the workspace,
 * though they could: behind a wall, which keeps the rest of this machine from them.
 */
@Walled
class PlanIT {
    private static final Path TABLE = Path.of("src/test/resources/policy/commands.txt");
    private static final Pattern BAR = Pattern.compile(" \\| ");
    private static final int AT_ONCE = 8;
    /** Of one that waits for ever, as {@code tail -f} does. */
    private static final int LIMIT_MS = 1500;

    /** What the commands name, git's index written long after the files it tells of. */
    private static final String FILES = """
            set -e
            mkdir -p src docs build .git/x node_modules
            echo 'hello a TODO' | tee a b x x.log README.md src/A.java docs/b.md Makefile out.txt file.txt > /dev/null
            printf '{"name": "x", "scripts": {"test": "touch written"}}' > package.json
            tar cf x.tar a b; tar czf x.tgz a b; gzip -k -c x > x.gz
            ln -s / to-root; ln -s /dev/sda to-disk
            rm -rf .git
            find . -type f -exec touch -h -d '1 hour ago' {} +
            git init -q . && git add -A && git -c user.name=x -c user.email=x@x commit -qm x && git status > /dev/null
            """;

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void nothingChangesBelowTheWorkspace() throws Exception {
        Answer made = http.run(FILES, "yield_time_ms", 60_000).completed();
        assertThat(made.at("/exit_status").asInt(-1)).isZero();
        Files.writeString(SERVER.data().resolve("policy.yaml"), "version: 1\nmode: plan\n");
        await("the mode")
                .atMost(Calls.PATIENCE)
                .until(() -> http.run("touch denied").status(), status -> status == 403);
        Files.deleteIfExists(SERVER.workspace().resolve("denied"));
        Map<String, String> before = contents();

        List<String> ran = run(commands());

        assertThat(ran).as("ran").hasSizeGreaterThan(120).contains("git status", "ls", "cat README.md");
        assertThat(changed(before, contents())).isEmpty();
        assertThat(http.run("> written", "sandbox", "workspace_write").status()).isEqualTo(403);
    }

    private static Set<String> changed(Map<String, String> before, Map<String, String> after) {
        Set<String> paths = new TreeSet<>(before.keySet());
        paths.addAll(after.keySet());
        paths.removeIf(path -> Objects.equals(before.get(path), after.get(path)));
        return paths;
    }

    private static List<String> commands() throws IOException {
        try (Stream<String> lines = Files.lines(TABLE)) {
            return lines.filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> BAR.split(line, 4)[3].replace("\\n", "\n"))
                    .toList();
        }
    }

    /** Those that were not denied. */
    private List<String> run(List<String> commands) throws Exception {
        try (ExecutorService some = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Callable<Boolean>> calls = commands.stream()
                    .map(cmd -> (Callable<Boolean>) () -> runs(cmd))
                    .toList();
            List<Future<Boolean>> ran = some.invokeAll(calls);
            return Stream.iterate(0, i -> i < ran.size(), i -> i + 1)
                    .filter(i -> ran.get(i).resultNow())
                    .map(commands::get)
                    .toList();
        }
    }

    private boolean runs(String cmd) {
        Answer answer = http.run(
                cmd,
                "sandbox",
                "workspace_write",
                "duplicate_policy",
                "start_new",
                "timeout_ms",
                LIMIT_MS,
                "on_exit",
                "stop",
                "yield_time_ms",
                60_000);
        if (answer.status() == 403) {
            answer.refused(403, "command_denied");
            return false;
        }
        answer.completed();
        return true;
    }

    /** Of everything there is, by path, when it was written and what it holds. */
    private static Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> all = Files.walk(SERVER.workspace())) {
            for (Path path : all.toList()) {
                contents.put(
                        SERVER.workspace().relativize(path).toString(),
                        Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS) + " " + content(path));
            }
        }
        return contents;
    }

    private static String content(Path path) throws IOException {
        if (Files.isSymbolicLink(path)) {
            return Files.readSymbolicLink(path).toString();
        }
        return Files.isDirectory(path) ? "folder" : HexFormat.of().formatHex(Files.readAllBytes(path));
    }
}
