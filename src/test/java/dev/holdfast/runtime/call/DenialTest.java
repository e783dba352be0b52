package dev.holdfast.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.Decision;
import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.task.Invocation;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What to do now depends on what denied it. */
class DenialTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "builtin.rm-root | Name a narrower target.",
                "builtin.fork-bomb | Have the function call itself once",
                "builtin.broken-policy | Mend the policy file",
                "builtin.unread | Write it to a file",
                "mode.plan | Do it another way",
                " | Do it another way",
            })
    void aHintIsForItsRule(String rule, String hint) {
        Verdict denied = new Verdict(Decision.DENY, rule, null, List.of("x"), Set.of(), Mode.OPEN, List.of(), null);
        Refusal refusal = Denial.of(denied, new Invocation.Program(List.of("x")));
        assertThat(refusal.recoveryHint()).startsWith(hint);
        assertThat(refusal.recoveryHint().contains("protections: false")).isEqualTo("builtin.rm-root".equals(rule));
    }
}
