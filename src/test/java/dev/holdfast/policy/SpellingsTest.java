package dev.holdfast.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.file.PolicyFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a command is hidden in, a rule for it holds: none of {@code policy/spellings.txt} is let through. */
class SpellingsTest {
    private static final Path SPELLINGS = Path.of("src/test/resources/policy/spellings.txt");

    private static Stream<String> lines() throws IOException {
        return Files.readAllLines(SPELLINGS).stream().filter(line -> !line.startsWith("# "));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void isHeldBack(String line) throws PolicyFileException {
        Rules rules = RuleFile.parse("""
                version: 1
                rules:
                  - {id: rm, match: {executable: rm}, decision: deny}
                  - {id: unknown, match: {class: unknown}, decision: ask}
                """);
        Verdict verdict = new Policy(() -> List.of(rules), () -> false)
                .decide(Action.ofText(
                        line.translateEscapes(), Path.of("/"), Set.of(), Map.of(), Actor.OPERATOR, On.COMMAND));
        assertThat(verdict.decision()).isNotEqualTo(Decision.ALLOW);
    }
}
