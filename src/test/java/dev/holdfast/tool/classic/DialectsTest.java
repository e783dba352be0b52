package dev.holdfast.tool.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.tool.classic.Dialects.Labelled;
import dev.holdfast.tool.classic.Dialects.Plain;
import dev.holdfast.tool.classic.Dialects.Sections;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the designs of a tool named bash say and refuse by themselves. */
class DialectsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sudo ls",
                "/usr/bin/sudo ls",
                "env sudo ls",
                "FOO=1 sudo ls",
                "bash -c 'sudo ls'",
                "true && sudo -n true",
                "true |\n sudo cat",
                "echo $(sudo id)",
                "su\"do\" ls",
                "timeout 5 sudo ls",
                "find . -exec sudo rm {} +",
                "sudo"
            })
    void row4SectionsTakesNoSudoHoweverItIsWritten(String command) {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> new Sections().check(command));

        assertThat(refusal).isNotNull();
        assertThat(refusal.kind()).isEqualTo(ErrorKind.COMMAND_DENIED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"echo sudo ls", "echo 'sudo ls'", "man sudo", "grep sudo /etc/group", "./sudoku", "ls; # sudo ls"
            })
    void row4SectionsTakesWhatOnlyNamesSudo(String command) {
        assertThatCode(() -> new Sections().check(command)).doesNotThrowAnyException();
    }

    /** And what is cut would leave its beginning. */
    @Test
    void theSummaryMasksSecretsBeforeItIsCut() {
        assertThat(Bash.summary("PGPASSWORD=hunter9 true")).isEqualTo("[bash: PGPASSWORD=*** true]");
        assertThat(Bash.summary("true " + "x".repeat(30) + "  --token " + "hunter9".repeat(9)))
                .isEqualTo("[bash: true " + "x".repeat(30) + " --token ***]");
    }

    @Test
    void eachHasItsOwnTimeOutAndItsWordsForIt() {
        Labelled labelled = new Labelled(List.of(), Optional.empty());
        assertThat(new Plain().timeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(labelled.timeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(new Sections().timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(new Plain().timedOut(Duration.ofMinutes(2))).isEqualTo("command timed out after 120s");
        assertThat(new Sections().timedOut(Duration.ofMillis(500))).isEqualTo("Command timed out after 0.5 seconds");
        assertThat(new Sections().timedOut(Duration.ofSeconds(10))).isEqualTo("Command timed out after 10 seconds");
    }

    @Test
    void row3LabelledDeniesWhatItsOperatorLists() {
        Labelled labelled = new Labelled(List.of("git push", "rm -rf /"), Optional.empty());

        Refusal refusal = catchThrowableOfType(Refusal.class, () -> labelled.check("cd x && git push origin"));

        assertThat(refusal).isNotNull();
        assertThat(refusal).hasMessage("Command blocked by safety policy: contains 'git push'");
        assertThatCode(() -> labelled.check("mkfs x")).doesNotThrowAnyException();
    }

    @Test
    void row3LabelledCutsWhatIsLongerThan256KiBAlone() {
        String longest = "é".repeat(128 * 1024);
        assertThat(Labelled.cut(longest)).isEqualTo(longest);
        assertThat(Labelled.cut(longest + "x")).isEqualTo(longest + "\n... (output truncated)");
        assertThat(Labelled.cut("x" + longest)).isEqualTo("x" + longest.substring(1) + "\n... (output truncated)");
    }
}
