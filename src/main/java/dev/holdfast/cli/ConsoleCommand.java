package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.terminal.Page;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

@Command(
        name = "console",
        description = {
            "Prints the console's address with a key that lets a browser in once, within a minute.",
            "On a terminal of a machine with a display it opens it too."
        })
final class ConsoleCommand extends Remote {
    @Override
    int run() throws IOException, InterruptedException {
        JsonNode answer = api.having(api.post("/v1/console/keys", Map.of()), "key");
        if (asJson(answer)) {
            return 0;
        }
        String url = api.address() + "/#key=" + answer.path("key").asText(); // the server may be behind a proxy
        Page.line(url);
        if (Page.TERMINAL) {
            open(url);
        }
        return 0;
    }

    /** By whatever opens addresses here; where nothing does, the address is printed already. */
    private static void open(String url) {
        boolean mac = System.getProperty("os.name", "").startsWith("Mac");
        if (!mac && System.getenv("DISPLAY") == null && System.getenv("WAYLAND_DISPLAY") == null) {
            return;
        }
        try {
            new ProcessBuilder(List.of(mac ? "open" : "xdg-open", url))
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException notHere) {
            Page.note("open it in a browser: there is no program here that does");
        }
    }
}
