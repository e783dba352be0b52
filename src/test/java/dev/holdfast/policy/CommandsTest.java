package dev.holdfast.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.actor.Actor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the protections alone say of the commands of {@code policy/commands.txt}, and the classes of these. */
class CommandsTest {
    private static final Path TABLE = Path.of("src/test/resources/policy/commands.txt");
    private static final Pattern BAR = Pattern.compile(" \\| ");

    @TempDir
    static Path workdir;

    private static Stream<String> lines() throws IOException {
        return Files.readAllLines(TABLE).stream().filter(line -> !line.isBlank() && !line.startsWith("#"));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void aCommandIsWhatItsLineSays(String line) throws IOException {
        String command = BAR.split(line, 4)[3];
        link("to-root", "/");
        link("to-disk", "/dev/sda");
        assertThat(line(command)).isEqualTo(line);
    }

    @Test
    void thereAreEnoughOfThem() throws IOException {
        assertThat(lines().distinct()).hasSizeGreaterThanOrEqualTo(300);
    }

    /** What was not read to its end may run anything. */
    @Test
    void whatIsTooMuchToReadIsDenied() {
        assertThat(line("ls;".repeat(40_000))).startsWith("deny | builtin.unread | ");
        assertThat(line("(".repeat(210) + "ls" + ")".repeat(210))).startsWith("deny | builtin.unread | ");
        assertThat(line("nohup ".repeat(9000) + "ls")).startsWith("deny | builtin.unread | ");
        assertThat(line("cat > f <<'E'\\n" + "rm -rf /\\n".repeat(9000) + "E")).startsWith("allow | - | writes | ");
        assertThat(line("rm -rf " + "../".repeat(34_000))).startsWith("allow | - | destructive | ");
    }

    /** Where each beginning of an assignment were looked through to the end of the text, this took 40 s. */
    @Test
    @Timeout(20)
    void whatLooksLikeAnAssignmentIsLookedThroughOnce() {
        assertThat(line("${a[".repeat(24_000))).contains(" | unknown | ");
    }

    static String line(String command) {
        Verdict verdict = new Policy(List::of, () -> false)
                .decide(Action.ofText(
                        command.replace("\\n", "\n"), workdir, Set.of(), Map.of(), Actor.OPERATOR, On.COMMAND));
        return String.join(
                " | ",
                name(verdict.decision()),
                Objects.requireNonNullElse(verdict.rule(), "-"),
                verdict.classes().stream().map(CommandsTest::name).collect(Collectors.joining(" ")),
                command);
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static void link(String name, String to) throws IOException {
        if (!Files.isSymbolicLink(workdir.resolve(name))) {
            Files.createSymbolicLink(workdir.resolve(name), Path.of(to));
        }
    }
}
