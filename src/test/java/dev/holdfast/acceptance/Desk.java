package dev.holdfast.acceptance;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Somebody at a shell in a real terminal: one that a server of ours holds, so that its screen is what a person would
 * see. The {@code holdfast} command in it speaks to another server.
 */
record Desk(Calls calls, String id) {
    static final int ROWS = 16;
    static final int COLS = 110;

    static Desk before(PackagedServer holder, PackagedServer spoken) {
        Map<String, Object> environment = Json.object(
                "HOLDFAST_URL",
                spoken.uri("").toString(),
                "HOLDFAST_TOKEN",
                spoken.token(),
                "TERM",
                "xterm-256color",
                "PS1",
                "desk> ");
        String shell =
                "holdfast() { " + Cli.SCRIPT + " \"$@\"; }; export -f holdfast; export PS1='desk> '; exec bash --norc";
        Calls calls = holder.calls();
        String id =
                calls.start(shell, "shell", "/bin/bash", "tty", true, "rows", ROWS, "cols", COLS, "env", environment);
        Desk desk = new Desk(calls, id);
        desk.shows("desk>");
        return desk;
    }

    void type(String text) {
        calls.input(id, "text", text).hasStatus(200);
    }

    /**
     * Clears the screen first, so that it shows nothing but what comes of it; returns when it is cleared, which its title
     * tells: what was on it before is not taken for what comes.
     */
    void enter(String command) {
        String before = title();
        type("clear; printf '\\e]0;" + System.nanoTime() + "\\a'; " + command + "\n");
        await("the screen is cleared").atMost(Duration.ofSeconds(20)).until(() -> !title().equals(before));
    }

    private String title() {
        return look().path("title").asText();
    }

    void press(String key) {
        calls.input(id, "keys", List.of(key)).hasStatus(200);
    }

    JsonNode look() {
        return calls.get("/v1/tasks/" + id + "/screen").hasStatus(200).json();
    }

    String screen() {
        var lines = new StringJoiner("\n");
        look().path("lines").forEach(line -> lines.add(line.asText()));
        return lines.toString();
    }

    /** Waits until a match of the expression is on the screen; else who is in the terminal, and for what, is told. */
    String shows(String expression) {
        try {
            return await("the screen shows " + expression)
                    .atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(50))
                    .until(this::screen, screen -> screen.matches("(?s).*(?:" + expression + ").*"));
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(
                    calls.get("/v1/tasks/" + id + "?fresh=true").body(), late);
        }
    }

    /** The shell has it back, and what the line discipline is set to. */
    void isUsual() {
        shows("desk>\\s*\\z"); // what is typed before may still be for the command that ends
        type("\nstty -a | tr ' ;' '\\n\\n' | grep -cxE 'icanon|echo|isig|opost'; echo over\n");
        shows("\n4\nover");
    }
}
