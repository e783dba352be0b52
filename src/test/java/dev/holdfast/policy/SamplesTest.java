package dev.holdfast.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.actor.Actor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The designs of others as files in {@code deploy/policies}: each loads without a warning, and decides as its design
 * does.
 */
class SamplesTest {
    private static final Path FOLDER = Path.of("deploy/policies");

    static Stream<Path> samples() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    void aSampleHasNoFlaw(Path sample) throws Exception {
        assertThat(RuleFile.parse(Files.readString(sample)).warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "exec-command | ls; rm -rf build; sudo ls | ALLOW",
                "exec-command | rm -rf / | DENY",
                "tutorial-bash | make test > log | ALLOW",
                "tutorial-bash | rm -rf src | ASK",
                "tutorial-bash | rm -rf build | ALLOW",
                "tutorial-bash | sudo rm -rf build | ASK",
                "tutorial-bash | $X | ASK",
                "deny-patterns | ls -la | ALLOW",
                "deny-patterns | git commit -m 'dd if=x' | ASK",
                "deny-patterns | /bin/rm -r -f / | DENY",
                "deny-patterns | mkfs.ext4 /dev/sdb1 | DENY",
                "deny-patterns | sudo /bin/dd bs=1 if=/dev/zero of=x | DENY",
                "deny-patterns | cat x; :(){ :;}; dd if=a of=b | DENY",
                "deny-patterns | make | ASK",
                "always-allow | ls -la /tmp | ALLOW",
                "always-allow | ls | ALLOW",
                "always-allow | ls -la; rm x | ASK",
                "always-allow | ls $(rm x) | ASK",
                "always-allow | ls && git status -s | ALLOW",
                "always-allow | lsof | ASK",
                "always-allow | sudo ls | DENY",
                "shell-exec | git status | ALLOW",
                "shell-exec | /bin/rm x | DENY",
                "shell-exec | ls; env A=b rm x | DENY",
                "shell-exec | find . -exec rm {} + | DENY",
                "shell-exec | cd /etc && ls | ASK",
                "shell-exec | cd ../../../../.. && ls | ASK",
                "shell-exec | python3 x.py | ASK",
                "shell-exec | cd /etc && rm x | DENY",
                "shell-exec | python3 x.py && dd of=x | DENY",
            })
    void aSampleDecidesAsItsDesign(String sample, String command, Decision decision) throws Exception {
        assertThat(decide(sample, command, Path.of("/tmp"), Set.of())).isEqualTo(decision);
    }

    @ParameterizedTest
    @CsvSource({"/srv/app, ALLOW", "/srv/app/a, ALLOW", "/srv/applause, ASK", "/srv/app/../x, ASK", "/etc, ASK"})
    void aRootIsARealPath(Path workdir, Decision decision) throws Exception {
        assertThat(decide("shell-exec", "ls", workdir, Set.of())).isEqualTo(decision);
    }

    @ParameterizedTest
    @CsvSource({"LD_PRELOAD, DENY", "LD_LIBRARY_PATH, DENY", "PATH, ASK", "A, ALLOW"})
    void keysOfTheEnvironmentCount(String key, Decision decision) throws Exception {
        assertThat(decide("shell-exec", "ls", Path.of("/tmp"), Set.of(key))).isEqualTo(decision);
    }

    /** What is denied is denied wherever it runs, and by whatever it sets. */
    @Test
    void row5ShellExecDeniesBeforeItAsks() throws Exception {
        assertThat(decide("shell-exec", "rm x", Path.of("/etc"), Set.of())).isEqualTo(Decision.DENY);
        assertThat(decide("shell-exec", "python3", Path.of("/etc"), Set.of("BASH_ENV")))
                .isEqualTo(Decision.DENY);
        assertThat(decide("shell-exec", "git status", Path.of("/etc"), Set.of()))
                .isEqualTo(Decision.ASK);
    }

    /** Of several the first that denies wins, else one that asks, else they allow. */
    @ParameterizedTest
    @CsvSource({"rm x, DENY", "python3 x, ASK", "ls, ALLOW"})
    void ofSeveralPoliciesOfShellExecTheStrictestCounts(String command, Decision decision) throws Exception {
        Rules lax = RuleFile.parse("version: 1\ndefault: allow\n");
        for (List<Rules> order : List.of(List.of(lax, rules("shell-exec")), List.of(rules("shell-exec"), lax))) {
            assertThat(decide(order, command, Path.of("/tmp"), Set.of())).isEqualTo(decision);
        }
    }

    private static Rules rules(String sample) throws Exception {
        return RuleFile.parse(Files.readString(FOLDER.resolve(sample + ".yaml")));
    }

    private static Decision decide(String sample, String command, Path workdir, Set<String> env) throws Exception {
        return decide(List.of(rules(sample)), command, workdir, env);
    }

    private static Decision decide(List<Rules> rules, String command, Path workdir, Set<String> env) {
        return new Policy(() -> rules, () -> false)
                .decide(Action.ofText(command, workdir, env, Map.of(), Actor.OPERATOR, On.COMMAND))
                .decision();
    }
}
