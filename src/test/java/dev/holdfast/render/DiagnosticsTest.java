package dev.holdfast.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Invocation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiagnosticsTest {
    @Test
    void describesAPlainCommand() {
        assertThat(Diagnostics.of(shell("npm test"), 8000))
                .isEqualTo(new CommandDiagnostics("npm test", 8, 2, false, false, false, 8000, 32_000));
    }

    @Test
    void countsCodePointsAndRoundsTokensUp() {
        CommandDiagnostics diagnostics = Diagnostics.of(shell("\ud83d\ude00".repeat(5)), 1);

        assertThat(diagnostics.cmdCharCount()).isEqualTo(5);
        assertThat(diagnostics.cmdEstimatedTokens()).isEqualTo(2);
        assertThat(diagnostics.outputCharBudget()).isEqualTo(4);
    }

    @Test
    void previews240CharactersWithoutSplittingOne() {
        String smileys = "\ud83d\ude00".repeat(300);

        assertThat(Diagnostics.of(shell("a".repeat(240)), 1).cmdPreview()).isEqualTo("a".repeat(240));
        assertThat(Diagnostics.of(shell("a".repeat(241)), 1).cmdPreview()).isEqualTo("a".repeat(240));
        assertThat(Diagnostics.of(shell(smileys), 1).cmdPreview()).isEqualTo("\ud83d\ude00".repeat(240));
        assertThat(Diagnostics.of(shell("a" + smileys), 1).cmdPreview()).isEqualTo("a" + "\ud83d\ude00".repeat(239));
    }

    @Test
    void warnsAboveFourThousandCharacters() {
        assertThat(Diagnostics.of(shell("a".repeat(4000)), 1).exceedsSoftThreshold())
                .isFalse();
        assertThat(Diagnostics.of(shell("a".repeat(4001)), 1).exceedsSoftThreshold())
                .isTrue();
        assertThat(Diagnostics.of(shell("\ud83d\ude00".repeat(4000)), 1).exceedsSoftThreshold())
                .isFalse();
    }

    @Test
    void countsWhatThePreviewLeavesOut() {
        String command = "cat > f <<'EOF'\n" + "API_KEY=abc\n".repeat(500) + "EOF\nmake TOKEN=abc";
        CommandDiagnostics diagnostics = Diagnostics.of(shell(command), 8000);

        assertThat(diagnostics.cmdPreview()).isEqualTo("cat > f <<'EOF'\n(here-document left out)\nmake TOKEN=***");
        assertThat(diagnostics.cmdCharCount()).isEqualTo(command.length());
        assertThat(diagnostics.containsHeredoc()).isTrue();
        assertThat(diagnostics.exceedsSoftThreshold()).isTrue();
    }

    @Test
    void showsArgumentsAsAShellWouldTakeThem() {
        Invocation program = new Invocation.Program(
                List.of("printf", "%s", "", "a b", "it's", "--password", "my secret", "$x", "\u00e9"));
        CommandDiagnostics diagnostics = Diagnostics.of(program, 1);

        assertThat(diagnostics.cmdPreview()).isEqualTo("printf %s '' 'a b' 'it'\\''s' --password '***' '$x' \u00e9");
        assertThat(diagnostics.cmdCharCount()).isEqualTo(program.text().length());
    }

    @Test
    void leavesHereDocumentsOutOfArgumentsToo() {
        CommandDiagnostics diagnostics =
                Diagnostics.of(new Invocation.Program(List.of("bash", "-c", "cat <<E\nbody\nE\nls")), 1);

        assertThat(diagnostics.cmdPreview()).isEqualTo("bash -c 'cat <<E\n(here-document left out)\nls'");
        assertThat(diagnostics.containsHeredoc()).isTrue();
        assertThat(diagnostics.containsInlineScript()).isTrue();
        assertThat(Diagnostics.of(new Invocation.Program(List.of("echo", "<<E")), 1)
                        .containsHeredoc())
                .isFalse();
    }

    @Test
    void summarisesOnOneLine() {
        assertThat(Diagnostics.summary(shell("  cd a &&\n\n\tX_TOKEN=abc make\u0007 \\\n  all \\ b \n")))
                .isEqualTo("cd a && X_TOKEN=*** make all \\ b");
        assertThat(Diagnostics.summary(shell("x \n".repeat(300)))).hasSize(240).doesNotContain("\n");
        assertThat(Diagnostics.summary(shell("cat <<E\nbody\nE"))).isEqualTo("cat <<E (here-document left out)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "python -c 'print(1)'",
                "python3 -c \"print(1)\"",
                "/usr/bin/env python3.12 -u -c 'x'",
                "python -W ignore -c x",
                "node -e 'x'",
                "node --eval=x",
                "node -p 1+1",
                "node -r dotenv/config -e x",
                "perl -e x",
                "perl -ne print f",
                "perl -pie x",
                "ruby -e x",
                "bash -c 'a b'",
                "bash -lc x",
                "bash -o pipefail -c x",
                "cd x && sh -c x",
                "ls | xargs sh -c x",
                "(zsh -c x)",
                "php -r x",
                "'bash' -c x",
                "sudo -u me bash -c x"
            })
    void seesInlineScripts(String command) {
        assertThat(Diagnostics.of(shell(command), 1).containsInlineScript()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "python script.py -c x",
                "python -m pytest -c x",
                "python; echo -c",
                "bash script.sh -c",
                "bash\n-c",
                "node server.js -e x",
                "node -r x",
                "git -c a=b log",
                "php -c php.ini x.php",
                "perl script.pl",
                "echo 'bash -c x'",
                "bash --version",
                ""
            })
    void seesNoScriptWhereThereIsNone(String command) {
        assertThat(Diagnostics.of(shell(command), 1).containsInlineScript()).isFalse();
    }

    /** The shortest time of some says what it costs beside other tests too. */
    @Test
    void isCheapForAShortCommandAndLinearForALongOne() {
        Invocation shortOne = shell("cd /srv/app && GITHUB_TOKEN=abc npm run dev -- --port 3000 | tee out.log");
        String piece = "a=\"$(b <<E)\" -e '";
        time(shortOne, 20_000);
        time(shell(piece.repeat(602)), 500);

        long part = time(shell(piece.repeat(602)), 200);
        assertThat(time(shortOne, 2000)).as("ns, short").isLessThan(part / 10);
        assertThat(time(shell(piece.repeat(6024)), 40)).as("ns, 100 KiB").isLessThan(40 * part);
    }

    /** The shortest time of one, in ns. */
    private static long time(Invocation command, int times) {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            Diagnostics.of(command, 8000);
            shortest = Math.min(shortest, System.nanoTime() - start);
        }
        return shortest;
    }

    private static Invocation shell(String cmd) {
        return new Invocation.ShellText(cmd, "/bin/bash", true);
    }
}
