package dev.holdfast.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.policy.file.PolicyFileException;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.task.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person allowed for longer lifts what was meant, and nothing that does more. */
class RememberedTest {
    @TempDir
    Path folder;

    private Remembered remembered;

    @BeforeEach
    void open() {
        remembered = new Remembered(RuntimeFixture.config(folder));
    }

    private Action action(String command, String actor, String... env) {
        Actor who = actor.equals("operator") ? Actor.OPERATOR : new Actor(actor, Role.AGENT, Map.of(), Mode.OPEN, null);
        return Action.ofText(command, folder, Set.of(env), Map.of(), who, On.COMMAND);
    }

    private boolean lifts(String command, String actor, String... env) {
        Action action = action(command, actor, env);
        Verdict verdict = asking().decide(action);
        assertThat(verdict.decision()).isEqualTo(Decision.ASK);
        return remembered.lifts(action, verdict, null);
    }

    private static Policy asking() {
        try {
            Rules rules = RuleFile.parse("version: 1\ndefault: ask\n");
            return new Policy(() -> List.of(rules), () -> false);
        } catch (PolicyFileException e) {
            throw new AssertionError(e);
        }
    }

    private void remember(String command, String actor, String... env) throws IOException {
        remember(command, actor, false, env);
    }

    private void remember(String command, String actor, boolean always, String... env) throws IOException {
        Action action = action(command, actor, env);
        String pattern = Suggestion.of(action).orElseThrow();
        Verdict verdict = asking().decide(action);
        remembered.remember(
                new Remembered.Entry(actor, pattern, verdict.classes(), action.env(), null, "operator", "now"), always);
    }

    /** The words match, and what it does is more than was allowed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "git push origin main | git push origin other | true",
                "git push origin main | git push --force origin main | false",
                "git push origin main | git push origin :main | false",
                "sort x | sort y | true",
                "sort x | sort -o x y | false",
                "find . -name x | find . -delete | false",
                "rm < x | xargs rm < x | false",
                "rm -f x | xargs rm -f <<< x | true",
            })
    void theClassesOfWhatWasAllowedAreTheMost(String allowed, String command, boolean lifts) throws IOException {
        remember(allowed, "operator");
        assertThat(lifts(allowed, "operator")).isTrue();
        assertThat(lifts(command, "operator")).isEqualTo(lifts);
    }

    @Test
    void itIsForWhoAskedAlone() throws IOException {
        remember("sort x", "alice");
        assertThat(lifts("sort y", "alice")).isTrue();
        assertThat(lifts("sort y", "bob")).isFalse();
    }

    /** Else a rule that asks for a key would be lifted by a command that came without it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itIsForTheSameKeysOfTheEnvironment(boolean always) throws IOException {
        remember("sleep 3", "operator", always);
        remember("sort x", "operator", always, "LANG", "FOO_X");
        assertThat(lifts("sleep 4", "operator")).isTrue();
        assertThat(lifts("sleep 4", "operator", "FOO_X")).isFalse();
        assertThat(lifts("sort y", "operator", "FOO_X", "LANG")).isTrue();
        assertThat(lifts("sort y", "operator", "FOO_X")).isFalse();
        assertThat(lifts("sort y", "operator")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none | none | true",
                "none | read_only | true",
                "workspace_write | none | false",
                "workspace_write | workspace_write | true",
                "workspace_write | workspace_write+network | false",
                "workspace_write+network | workspace_write | true",
                "read_only | workspace_write | false",
                "read_only+network | workspace_write | false",
            })
    void itIsForTheSameWallOrAHigherOne(String allowed, String wall, boolean lifts) throws IOException {
        Action action = action("sort x", "operator");
        Verdict verdict = asking().decide(action);
        for (boolean always : new boolean[] {false, true}) {
            open();
            remembered.remember(
                    new Remembered.Entry(
                            "operator", "sort *", verdict.classes(), Set.of(), wall(allowed), "operator", "now"),
                    always);
            assertThat(remembered.lifts(action, verdict, wall(wall))).isEqualTo(lifts);
            Files.deleteIfExists(folder.resolve("approved.yaml"));
        }
    }

    private static @Nullable Sandbox wall(String name) {
        return name.equals("none") ? null : Sandbox.parse(name);
    }

    /** What was one word is not two, and what was quoted is no pattern. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "rm -f \"My Documents\" | rm -f 'My Documents' | true",
                "rm -f \"My Documents\" | rm -f My Documents | false",
                "rm -f \"My Documents\" | rm -f \"'My\" \"Documents'\" | false",
                "rm -f My Documents | rm -f 'My Documents' | false",
                "rm -f 'a?' | rm -f \"a?\" | true",
                "rm -f 'a?' | rm -f a? | false",
                "rm -f '[ab]' | rm -f [ab] | false",
                "rm '' x | rm ' x' | false",
                "git -C x log | 'git -C' x log | false",
            })
    void wordsStayApart(String allowed, String command, boolean lifts) throws IOException {
        remember(allowed, "operator");
        assertThat(lifts(allowed, "operator")).isTrue();
        assertThat(lifts(command, "operator")).isEqualTo(lifts);
    }

    /** A rule, a mode and the default ask as well, and what was allowed without the key is not meant. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "rules: [{id: asks, match: {command: \"sleep 3*\"}, decision: ask}]",
                "default: ask",
                "mode: ask_destructive\nrules: [{id: asks, match: {env: \"*\"}, decision: ask}]",
            })
    void whatHijacksIsNeverLifted(String policy) throws Exception {
        Rules rules = RuleFile.parse("version: 1\n" + policy + "\n");
        Rules other = RuleFile.parse("version: 1\nprotections: false\ndefault: ask\n");
        Action action = action("sleep 3.1", "operator", "PATH");
        for (List<Rules> files : List.of(List.of(rules), List.of(other, rules))) {
            Verdict verdict = new Policy(() -> files, () -> false).decide(action);
            remembered.remember(
                    new Remembered.Entry(
                            "operator", "sleep *", verdict.classes(), action.env(), null, "operator", "now"),
                    false);
            assertThat(verdict.rule()).isEqualTo("builtin.env-hijack");
            assertThat(remembered.lifts(action, verdict, null)).isFalse();
        }
    }

    /** As the whole does. */
    @Test
    void whatIsLiftedSaysSoOfEachCommand() throws Exception {
        remember("sort x", "operator");
        remember("ls x", "operator");
        Action action = action("sort y; ls y", "operator");

        Verdict settled = remembered.settled(action, asking().decide(action), () -> null);

        assertThat(settled.decision()).isEqualTo(Decision.ALLOW);
        assertThat(settled.commands())
                .extracting(Verdict.Command::decision)
                .containsExactly(Decision.ALLOW, Decision.ALLOW);
        Action more = action("sort y; ls y; rm y", "operator");
        assertThat(remembered.settled(more, asking().decide(more), () -> null).commands())
                .extracting(Verdict.Command::decision)
                .containsOnly(Decision.ASK);
    }

    /** An entry that a person wrote without the class. */
    @Test
    void whatTheFileAllowsIsHeldToItsClasses() throws IOException {
        Files.writeString(
                folder.resolve("approved.yaml"),
                "approved: [{actor: operator, command: \"git push *\", classes: [writes, network]}]\n");
        assertThat(lifts("git push origin main", "operator")).isTrue();
        assertThat(lifts("git push -f origin main", "operator")).isFalse();
    }

    /** Its first word and any arguments, and what follows it in the text is not meant by that. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ls -la /tmp | ls *",
                "/bin/ls -la | /bin/ls *",
                "git push origin main | git push *",
                "rm -rf build | rm -rf build",
                "ls -la; rm x |",
                "ls > x |",
                "A=b ls |",
                "ls $X |",
                "rm -f a? |",
                "ls a? | ls *",
                "xargs -a list rm |",
                "xargs -a list -I{} rm {} |",
                "find . -exec rm {} + |",
                "find . -exec rm {} ';' |",
                "xargs rm <<< x | rm x",
                "xargs -a list git add | git add *",
                "xargs -a list -I{} touch {} | touch *",
            })
    void row4AlwaysAllowIsDerivedFromWords(String command, String pattern) {
        assertThat(Suggestion.of(action(command, "operator")).orElse(null)).isEqualTo(pattern);
    }
}
