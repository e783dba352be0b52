package dev.holdfast.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.Invocation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SecretsTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final String ARROW = " => ";

    static Stream<Arguments> rows() {
        try (InputStream file = Objects.requireNonNull(SecretsTest.class.getResourceAsStream("/render/secrets.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                            .map(line -> line.replace("\\n", "\n"))
                            .map(line -> line.contains(ARROW)
                                    ? Arguments.of((Object[]) line.split(ARROW, 2))
                                    : Arguments.of(line, line))
                            .toList()
                            .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void areMaskedAndLookAlikesAreNot(String command, String shown) {
        assertThat(masked(command)).isEqualTo(shown);
    }

    private static String masked(String command) {
        Invocation masked = Diagnostics.masked(new Invocation.ShellText(command, "/bin/bash", true));
        return ((Invocation.ShellText) masked).cmd();
    }

    @Test
    void areMaskedInArgumentsEachByItself() {
        assertThat(arguments("x", "--password", "my secret", "TOKEN=a b", "-H", "X-Api-Key: a", "$TOKEN", "--token"))
                .containsExactly("x", "--password", "***", "TOKEN=***", "-H", "X-Api-Key: ***", "$TOKEN", "--token");
        assertThat(arguments("bash", "-c", "A_TOKEN=abc x --password 'b c'", "TOKEN=d"))
                .containsExactly("bash", "-c", "A_TOKEN=*** x --password '***'", "TOKEN=***");
        assertThat(arguments("curl", "-u", "me:abc", "https://me:abc@h/"))
                .containsExactly("curl", "-u", "***", "https://me:***@h/");
        assertThat(arguments("curl -u bob:abc https://x")).containsExactly("curl -u *** https://x");
        assertThat(arguments("mysql -pabc", "x y")).containsExactly("mysql -p***", "x y");
        assertThat(arguments("docker login", "-p", "abc", "x y")).containsExactly("docker login", "-p", "***", "x y");
        assertThat(arguments("kubectl exec", "x", "--", "sh", "-c", "mysql -pabc"))
                .containsExactly("kubectl exec", "x", "--", "sh", "-c", "mysql -p***");
        assertThat(arguments("ls -p", "abc", "mkdir -p x")).containsExactly("ls -p", "abc", "mkdir -p x");
        assertThat(arguments("DB_PASSWORD=abc", "make")).containsExactly("DB_PASSWORD=***", "make");
        assertThat(arguments("echo", "", "a b", "c")).containsExactly("echo", "", "a b", "c");
    }

    private static List<String> arguments(String... argv) {
        Invocation masked = Diagnostics.masked(new Invocation.Program(List.of(argv)));
        return ((Invocation.Program) masked).argv();
    }

    /** Its tree is given up, so words are guessed. */
    @Test
    void areMaskedInATextThatCannotBeRead() {
        String deep =
                "$(".repeat(300) + "GITHUB_TOKEN=abc login --password 'a b' -H 'X-Api-Key: abc' " + ")".repeat(300);
        assertThat(masked(deep)).contains("GITHUB_TOKEN=*** login --password '***' -H 'X-Api-Key: ***'");
        String many = "TOKEN=abc x; ".repeat(7000);
        assertThat(masked(many)).doesNotContain("abc");
    }

    static Stream<String> hostile() {
        return Stream.of(
                "-",
                "a",
                "'",
                "\"",
                "\\",
                "\\\"",
                "=",
                ":",
                "://",
                "://a:",
                "://a:b@",
                "token=",
                "token:",
                "token: '",
                "token=\"\\\"",
                "a=",
                "a.token=",
                "--token ",
                "--password \"",
                "Bearer ",
                "-----BEGIN",
                "-----BEGIN PRIVATE KEY-----",
                "-----BEGIN-----END",
                "eyJ.",
                "-eyJ",
                "eyJ.a.b ",
                "mysql -p",
                "curl -u '",
                "ghp_",
                "sk-",
                "key-0",
                "s/token=.*/",
                "token=.*",
                "\"assword:\" send \"",
                "assword {",
                "A=\"",
                "\"password\":\"",
                "authorization: basic ",
                "cat <<E\n",
                "cat <<E\ntoken: x\nE\n",
                "bash -c '",
                "bash -c \"token=",
                "$(",
                "{a,",
                "token\n",
                "# it's token=a\n",
                "#--token ",
                "x=(--token a ",
                "x=(--token a)\n",
                "x <<< token=a\n",
                "vault ",
                "pulumi config set ",
                "nmcli password ",
                "ssh 'echo a",
                "# echo a | sudo -S\n",
                "# echo ",
                "\n",
                "\ud83d\ude00",
                "\ud83d");
    }

    /** 40 KiB, in what is ten times enough on a busy machine; a quadratic pass needs far more. */
    @ParameterizedTest
    @MethodSource("hostile")
    void takesLinearTime(String piece) {
        String command = piece.repeat((40 << 10) / piece.length());
        String masked = Assertions.assertTimeoutPreemptively(LIMIT, () -> masked("token " + command));
        assertThat(masked.length()).isLessThanOrEqualTo(4 * command.length());
        String half = piece.repeat((20 << 10) / piece.length());
        List<String> words = List.of("token", half, half);
        Assertions.assertTimeoutPreemptively(LIMIT, () -> Diagnostics.masked(new Invocation.Program(words)));
    }
}
