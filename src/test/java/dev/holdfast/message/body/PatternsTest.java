package dev.holdfast.message.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.runtime.call.Refusal;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatternsTest {
    @Test
    void whatIsNoPatternIsRefusedByItsField() {
        assertThat(Patterns.compile("pattern", "^b").matcher("a\nb").find()).isTrue();
        for (String bad : new String[] {"", "x".repeat(10_001), "(", "(?=x)", "(a)\\1", "a**"}) {
            assertThatThrownBy(() -> Patterns.compile("pattern", bad))
                    .isInstanceOf(Refusal.class)
                    .hasMessageStartingWith("`pattern` ");
        }
    }

    @Test
    void whatIsWrongIsWhatWasSent() {
        assertThatThrownBy(() -> Patterns.compile("pattern", "("))
                .hasMessage("`pattern` is no regular expression: missing closing ): `(`");
        Refusal none = catchThrowableOfType(Refusal.class, () -> Patterns.compile("pattern", ""));
        assertThat(none.recoveryHint()).startsWith("Say what to look for");
    }

    @Test
    void groupsAsDeepAsNoStackAreRefused() {
        var outcome = new CompletableFuture<Throwable>();
        String deep = "(".repeat(4900) + "x" + ")".repeat(4900);
        new Thread(null, () -> outcome.complete(catchThrowable(() -> Patterns.compile("p", deep))), "", 160 << 10)
                .start();

        assertThat(outcome.join()).isInstanceOf(Refusal.class).hasMessageContaining("nested too deeply");
    }

    /** RE2 writes them out: some of these would take all memory. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "((a{1000}){1000})",
                "(((a{1000}){1000}){1000})",
                "((((((a{100}){100}){100}){100}){100}){100})",
                "(\\p{Greek}{1000}){0,1000}",
                "([[:alpha:]]{1000}b{1000}){500,}",
            })
    void repeatsOfRepeatsAreCounted(String regex) {
        assertThatThrownBy(() -> Patterns.compile("pattern", regex)).hasMessageContaining("repeats more than");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a{1000}b{1000}",
                "(a{100}){100}",
                "\\Qa{1000}{1000}{1000}\\E",
                "[{1000}]{1000}",
                "a{,5}{x}{",
                "\\p{Greek}\\x{10ffff}{3}",
                "(((((((a)))))))",
                "^\\s*at .*Exception{2}$",
            })
    void othersAreTaken(String regex) {
        assertThat(Patterns.compile("pattern", regex)).isNotNull();
    }
}
