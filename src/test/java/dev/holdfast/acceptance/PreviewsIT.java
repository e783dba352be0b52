package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section 2: what of the output is shown. */
class PreviewsIT {
    private static final Pattern COUNT = Pattern.compile("[0-9]+");

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void headAndTailStayAndTheLineBetweenCountsTheRest() throws Exception {
        Answer answer =
                http.run("seq -f 'line %g' 1 20000", "max_output_tokens", 100).completed();
        String preview = answer.text("/stdout_preview");
        String whole = Files.readString(Path.of(answer.text("/artifacts/0/path")));

        assertThat(answer.at("/truncated").asBoolean()).isTrue();
        assertThat(preview.length()).isLessThanOrEqualTo(400);
        assertThat(preview).startsWith("line 1\nline 2\n");
        assertThat(preview.stripTrailing()).endsWith("line 19999\nline 20000");
        assertThat(omittedBetween(preview, whole)).isTrue();
    }

    @Test
    void theWholeIsKeptAsArtifacts() throws Exception {
        Answer answer = http.run("seq 1 5000; seq 5001 9000 >&2", "max_output_tokens", 100)
                .completed();

        assertThat(answer.at("/artifacts").size()).isEqualTo(2);
        for (String stream : new String[] {"stdout", "stderr"}) {
            int index = answer.at("/" + stream + "_artifact").asInt(-1);
            assertThat(answer.text("/artifacts/" + index + "/stream")).isEqualTo(stream);
            Path path = Path.of(answer.text("/artifacts/" + index + "/path"));
            assertThat(answer.at("/artifacts/" + index + "/bytes").asLong()).isEqualTo(Files.size(path));
        }
        Path out = Path.of(
                answer.text("/artifacts/" + answer.at("/stdout_artifact").asInt() + "/path"));
        assertThat(Files.readAllLines(out)).hasSize(5000).startsWith("1").endsWith("5000");
    }

    @Test
    void onlyTheTruncatedStreamIsAnArtifact() {
        Answer answer =
                http.run("seq 1 5000; echo short >&2", "max_output_tokens", 100).completed();

        assertThat(answer.at("/truncated").asBoolean()).isTrue();
        assertThat(answer.at("/stdout_artifact").isInt()).isTrue();
        assertThat(answer.text("/stderr_preview").strip()).isEqualTo("short");
    }

    @Test
    void bothStreamsShareTheBudget() {
        Answer answer =
                http.run("seq 1 9000; seq 1 9000 >&2", "max_output_tokens", 200).completed();

        int shown = answer.text("/stdout_preview").length()
                + answer.text("/stderr_preview").length();
        assertThat(shown).isBetween(400, 800);
        assertThat(answer.text("/stderr_preview").length()).isGreaterThan(100);
        assertThat(answer.text("/stdout_preview").length()).isGreaterThan(100);
    }

    @Test
    void theSmallestBudgetHolds() {
        Answer answer = http.run("seq 1 1000", "max_output_tokens", 1).completed();

        assertThat(answer.at("/truncated").asBoolean()).isTrue();
        assertThat(answer.at("/artifacts").size()).isEqualTo(1);
    }

    @Test
    void whatFitsIsWhole() {
        Answer answer = http.run("seq 1 5000").completed();

        assertThat(answer.at("/truncated").asBoolean()).isFalse();
        assertThat(answer.text("/stdout_preview").lines()).hasSize(5000).endsWith("4999", "5000");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            quoteCharacter = '`',
            value = {
                "printf '\\303\\251\\342\\202\\254\\360\\237\\230\\200' @ é€😀",
                "printf 'a\\377b' @ a\uFFFDb",
                "printf 'a\\342\\202' @ a\uFFFD",
                "printf '\\033[31mred\\033[0m plain' @ red plain",
                "printf '\\033]0;title\\007text' @ text",
                "printf '10%%\\r55%%\\r100%%' @ 100%",
                "printf 'abc\\rX' @ Xbc",
                "printf 'Progress 50%%\\r\\033[Jdone' @ done",
                "printf '\\033]1337;File=inline=1:'; head -c 90000 /dev/zero | base64 -w0; printf '\\007text' @ text",
                "printf 'one\\r\\ntwo\\r\\n' @ `one\ntwo`"
            })
    void bytesBecomeText(String cmd, String text) {
        assertThat(http.run(cmd).completed().text("/stdout_preview").stripTrailing())
                .isEqualTo(text);
    }

    @Test
    void aCharacterIsNeverCut() {
        for (int tokens : new int[] {10, 11, 12, 13, 14, 15, 16, 17}) {
            String preview = http.run(
                            "for i in $(seq 2000); do printf '\\360\\237\\230\\200'; done", "max_output_tokens", tokens)
                    .completed()
                    .text("/stdout_preview");

            assertThat(preview).doesNotContain("\uFFFD").startsWith("😀").endsWith("😀");
        }
    }

    @Test
    void aLineWithoutEndIsCutToo() {
        String preview = http.run("head -c 300000 /dev/zero | tr '\\0' x; echo; echo last", "max_output_tokens", 200)
                .completed()
                .text("/stdout_preview");

        assertThat(preview.length()).isLessThanOrEqualTo(800);
        assertThat(preview.stripTrailing()).endsWith("last");
    }

    /**
     * Whether one line of the preview holds the number of bytes that are missing between what is above and below it.
     */
    private static boolean omittedBetween(String preview, String whole) {
        Matcher number = COUNT.matcher(preview);
        while (number.find()) {
            int from = preview.lastIndexOf('\n', number.start()) + 1;
            int to = preview.indexOf('\n', number.end());
            if (to < 0 || preview.substring(from, to).startsWith("line ")) {
                continue;
            }
            String tail = preview.substring(to + 1);
            for (int withNewline = from; withNewline >= from - 1 && withNewline >= 0; withNewline--) {
                String head = preview.substring(0, withNewline);
                int missing = whole.length() - head.length() - tail.length();
                boolean fits = whole.startsWith(head) && (whole.endsWith(tail) || whole.endsWith(tail + "\n"));
                int newline = whole.endsWith(tail) ? 0 : 1;
                if (fits && Integer.parseInt(number.group()) == missing - newline) {
                    return true;
                }
            }
        }
        return false;
    }
}
