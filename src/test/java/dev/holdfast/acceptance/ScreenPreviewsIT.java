package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is shown of the output of who draws whole screens: the screen, not how it was drawn. */
class ScreenPreviewsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void whatEndedOnTheOtherScreenIsShownAsItsScreen() throws Exception {
        String cmd = "printf 'usual\\033[?1049h\\033[H'; for i in 1 2 3; do printf '\\033[2;1Hstep %d' $i; done";
        Answer answer = http.run(cmd, "tty", true).completed();

        assertThat(answer.text("/stdout_preview")).isEqualTo("\nstep 3");
        assertThat(answer.at("/stderr_preview").isNull()).isTrue();
        assertThat(answer.at("/truncated").asBoolean()).isTrue(); // "usual" lies behind it
        assertThat(Files.readString(Path.of(answer.text("/artifacts/0/path")))).contains("usual", "step 1");
        assertThat(http.receipt(cmd + " # again", "tty", true))
                .startsWith("Process exited with code 0\n\nstdout:\n\nstep 3\n\nArtifacts:\n/");
    }

    @Test
    void whatHasLeftTheOtherScreenIsShownAsTheUsualOne() {
        String cmd = "echo before; printf '\\033[?1049h\\033[3;1Hedited\\033[?1049l'; echo after";

        assertThat(http.receipt(cmd, "tty", true)).isEqualTo("Process exited with code 0\n\nstdout:\nbefore\nafter");
        Answer scrolled = http.run("seq 500; " + cmd, "tty", true).completed();
        assertThat(scrolled.text("/stdout_preview"))
                .endsWith("500\nbefore\nafter")
                .doesNotContain("edited");
        assertThat(scrolled.at("/truncated").asBoolean()).isTrue();
    }

    @Test
    void whatBecomesATaskOnTheOtherScreenShowsIt() {
        String other = "printf 'usual\\033[?1049h\\033[2;3Hother\\033[3;1H'; read x";
        Answer answer =
                http.run(other, "tty", true, "yield_time_ms", 20_000, "yield_when", Json.object("needs_input", true));
        String id = answer.promoted();

        assertThat(answer.text("/initial_output_preview")).isEqualTo("\n  other");
        assertThat(answer.at("/initial_output_truncated").asBoolean()).isTrue();
        http.stop(id, "force", true);
    }

    @Test
    void whatNeverUsedItIsShownAsText() {
        Answer answer = http.run("seq 100; printf '\\033[1mbold\\033[m\\r\\n'", "tty", true)
                .completed();

        assertThat(answer.text("/stdout_preview")).startsWith("1\n2\n").endsWith("100\nbold\n");
        assertThat(answer.at("/truncated").asBoolean()).isFalse();
    }
}
