package dev.holdfast.runtime.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.holdfast.config.HoldfastConfig.Inherit;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandEnvironmentTest {
    private static Map<String, String> environment(
            Map<String, String> server, Inherit inherit, Map<String, @Nullable String> set, boolean terminal) {
        return new CommandEnvironment(server, inherit).of(request(set, terminal ? TerminalSize.DEFAULT : null));
    }

    static StartRequest request(Map<String, @Nullable String> env, @Nullable TerminalSize terminal) {
        return new StartRequest(
                new StartRequest.What.ShellText("true", null, true),
                null,
                terminal,
                false,
                DuplicatePolicy.REUSE_RUNNING,
                Duration.ofSeconds(10),
                YieldWhen.NONE,
                8000,
                env,
                null,
                null,
                OnExit.LEAVE,
                Map.of(),
                StartRequest.Wall.DEFAULT,
                false,
                false);
    }

    @Test
    void plainTextIsPlainInATerminalTooAndWhatACallerSetsWins() {
        var plain = new CommandEnvironment(Map.of("LC_ALL", "de_DE.UTF-8"), Inherit.ALL)
                .of(request(Map.of("PAGER", "less"), TerminalSize.DEFAULT).inPlainText());

        assertThat(plain)
                .contains(entry("TERM", "dumb"), entry("GIT_PAGER", "cat"), entry("LC_ALL", "C.UTF-8"))
                .contains(entry("PAGER", "less"))
                .doesNotContainKey("GIT_TERMINAL_PROMPT");
    }

    @ParameterizedTest
    @EnumSource(Inherit.class)
    void theLocaleIsTheOneOfWhoStartedTheServer(Inherit inherit) {
        assertThat(environment(Map.of("LC_ALL", "C.UTF-8", "HOLDFAST_LC_ALL", "C"), inherit, Map.of(), false))
                .containsEntry("LC_ALL", "C")
                .doesNotContainKey("HOLDFAST_LC_ALL");
        assertThat(environment(Map.of("LC_ALL", "C.UTF-8", "HOLDFAST_LC_ALL", ""), inherit, Map.of(), false))
                .doesNotContainKeys("LC_ALL", "HOLDFAST_LC_ALL");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GITHUB_TOKEN", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "DB_PASSWORD", "PGPASSWORD",
                "MYSQL_PWD_PASS", "API_KEY", "OPENAI_API_KEY", "SSH_PRIVATE_KEY", "HTTP_AUTHORIZATION",
                        "SESSION_COOKIE",
                "GOOGLE_CREDENTIALS", "githubtoken", "MY_PASSPHRASE", "SENTRY_DSN", "GH_PAT", "HOLDFAST_TOKEN",
                "HOLDFAST_DATA_DIR", "QUARKUS_DATASOURCE_PASSWORD"
            })
    void whatLooksLikeASecretIsNotInherited(String name) {
        assertThat(environment(Map.of(name, "x", "PATH", "/bin"), Inherit.FILTERED, Map.of(), false))
                .doesNotContainKey(name)
                .containsEntry("PATH", "/bin");
    }

    @ParameterizedTest
    @ValueSource(strings = {"JAVA_HOME", "PASSAGE", "KEYBOARD", "EDITOR", "AUTHOR", "PATHS", "MONKEY_MODE", "LC_ALL"})
    void whatDoesNotIs(String name) {
        assertThat(environment(Map.of(name, "x"), Inherit.FILTERED, Map.of(), false))
                .containsEntry(name, "x");
    }

    @Test
    void coreIsWhatEveryProgramNeeds() {
        Map<String, String> server = Map.of("PATH", "/bin", "HOME", "/h", "LC_ALL", "C", "JAVA_HOME", "/j");
        assertThat(environment(server, Inherit.CORE, Map.of(), false))
                .containsKeys("PATH", "HOME", "LC_ALL")
                .doesNotContainKey("JAVA_HOME");
    }

    @Test
    void allIsAllButTheServersOwnSettings() {
        assertThat(environment(Map.of("MY_TOKEN", "x", "HOLDFAST_TOKEN", "y"), Inherit.ALL, Map.of(), false))
                .containsEntry("MY_TOKEN", "x")
                .doesNotContainKey("HOLDFAST_TOKEN");
    }

    @Test
    void withoutATerminalNothingPromptsOrPaints() {
        assertThat(environment(Map.of("TERM", "xterm"), Inherit.FILTERED, Map.of(), false))
                .containsEntry("NO_COLOR", "1")
                .containsEntry("TERM", "dumb")
                .containsEntry("PAGER", "cat")
                .containsEntry("GIT_TERMINAL_PROMPT", "0");
        assertThat(environment(Map.of("TERM", "dumb"), Inherit.FILTERED, Map.of(), true))
                .containsEntry("TERM", "xterm-256color")
                .doesNotContainKeys("NO_COLOR", "PAGER", "GIT_TERMINAL_PROMPT");
    }

    @Test
    void theCallerHasTheLastWord() {
        Map<String, @Nullable String> set = new HashMap<>();
        set.put("NO_COLOR", null);
        set.put("TERM", "vt100");
        set.put("MY_TOKEN", "mine");
        assertThat(environment(Map.of("MY_TOKEN", "the server's"), Inherit.FILTERED, set, false))
                .doesNotContainKey("NO_COLOR")
                .containsEntry("TERM", "vt100")
                .containsEntry("MY_TOKEN", "mine");
    }
}
