package dev.holdfast.render;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HereDocumentsTest {
    private static final String MARKER = HereDocuments.MARKER;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<<EOF",
                "<< EOF",
                "<<'EOF'",
                "<<\"EOF\"",
                "<<\\EOF",
                "<<-EOF",
                "<<- 'EOF'",
                "<<E\"O\"F",
                "0<<EOF"
            })
    void leavesOutTheBodyHoweverItsDelimiterIsWritten(String operator) {
        HereDocuments reduced =
                HereDocuments.leaveOut("cat " + operator + " > f && x\nsecret\n EOF\nEOF \n'\"(\nEOF\nls\n");

        assertThat(reduced).isEqualTo(new HereDocuments("cat " + operator + " > f && x\n" + MARKER + "\nls\n", true));
    }

    @Test
    void endsAtAnIndentedDelimiterOnlyWithTheDash() {
        assertThat(HereDocuments.leaveOut("cat <<-E\n\ta\n\t\tE\nls").text()).isEqualTo("cat <<-E\n" + MARKER + "\nls");
        assertThat(HereDocuments.leaveOut("cat <<E\na\n\tE\nls").text()).isEqualTo("cat <<E\n" + MARKER);
    }

    @Test
    void leavesOutSeveral() {
        assertThat(HereDocuments.leaveOut("diff <(cat <<A) <(cat <<B)\na\nA\nb\nB\ncat <<A\nc\nA\nls")
                        .text())
                .isEqualTo("diff <(cat <<A) <(cat <<B)\n" + MARKER + "\n" + MARKER + "\ncat <<A\n" + MARKER + "\nls");
    }

    @Test
    void findsOneInACommandSubstitutionInQuotes() {
        assertThat(HereDocuments.leaveOut("git commit -m \"$(cat <<'EOF'\nit's \"a\" message\nEOF\n)\" && ls"))
                .isEqualTo(new HereDocuments("git commit -m \"$(cat <<'EOF'\n" + MARKER + "\n)\" && ls", true));
    }

    @Test
    void waitsForTheEndOfTheLineAndNotOfAQuotedOne() {
        assertThat(HereDocuments.leaveOut("cat <<E \"a\nb\"\nbody\nE\nls").text())
                .isEqualTo("cat <<E \"a\nb\"\n" + MARKER + "\nls");
    }

    @Test
    void takesWhatIsNotEndedToTheEnd() {
        assertThat(HereDocuments.leaveOut("cat <<E\nbody")).isEqualTo(new HereDocuments("cat <<E\n" + MARKER, true));
        assertThat(HereDocuments.leaveOut("cat <<E")).isEqualTo(new HereDocuments("cat <<E", true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cat <<< word\nls",
                "cat <<<word\nword",
                "echo '<<E'\na\nE",
                "echo \"<<E\"\na\nE",
                "echo \\<<E",
                "echo $((1 << 3))\n3",
                "(( a = 1 << 3 ))\n3",
                "echo $(( (1 << 3) << 2 ))\n3",
                "# cat <<E\nls\nE",
                "a << \nb",
                "cat < file",
                ""
            })
    void knowsWhatIsNone(String command) {
        assertThat(HereDocuments.leaveOut(command)).isEqualTo(new HereDocuments(command, false));
    }

    static Stream<String> hostile() {
        return Stream.of(
                "<", "<<", "<<a", "<<a\n", "<<a ", "<<'", "(", "((", "$((", "(<<", "\"", "'", "\"$(", "<<-\n\t", "\\",
                "#\n", " #", ")");
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void takesLinearTime(String piece) {
        String command = piece.repeat((1 << 20) / piece.length()) + "<<E\nE";
        HereDocuments reduced =
                Assertions.assertTimeoutPreemptively(Duration.ofSeconds(5), () -> HereDocuments.leaveOut(command));
        assertThat(reduced.text().length()).isLessThanOrEqualTo(command.length() * 30);
    }
}
