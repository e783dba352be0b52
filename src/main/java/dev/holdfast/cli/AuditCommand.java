package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "audit", description = "Prints the journal: who did what, the oldest first.")
final class AuditCommand extends Remote {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int RECENT = 20;

    @Option(names = "-f", description = "and what comes")
    boolean follow;

    @Option(
            names = "-n",
            paramLabel = "N",
            description = "the last so many alone; with -f the last 20 where none is said")
    @Nullable
    Integer last;

    @Option(names = "--since", paramLabel = "TIME", description = "as 2026-03-01T12:00:00Z")
    @Nullable
    String since;

    private String cursor = "";

    @Override
    int run() throws IOException, InterruptedException {
        refuse(last != null && last < 0, "-n: how many lines is 0 or more");
        if (json() && !follow) {
            ObjectNode answer = Api.JSON.createObjectNode();
            ArrayNode entries = answer.putArray("entries");
            begun(entries::add);
            Page.json(answer.putNull("next_cursor"));
            return 0;
        }
        begun(this::print);
        while (follow) {
            Thread.sleep(PAUSE);
            read(this::print);
        }
        return 0;
    }

    /** What is there already of what was asked for. */
    private void begun(Consumer<JsonNode> each) throws IOException, InterruptedException {
        if (last == null && (!follow || since != null)) {
            read(each);
        } else {
            tail(last == null ? RECENT : last).forEach(each);
        }
    }

    private Deque<JsonNode> tail(int wanted) throws IOException, InterruptedException {
        if (since == null) {
            cursor = Long.toString(Math.max(0, newest() - wanted));
        }
        Deque<JsonNode> recent = new ArrayDeque<>();
        read(entry -> {
            recent.add(entry);
            if (recent.size() > wanted) {
                recent.remove();
            }
        });
        return recent;
    }

    /** The {@code seq} of the last entry, found by halves: the journal is read forwards alone, and may be long. */
    private long newest() throws IOException, InterruptedException {
        long low = 0;
        long high = 1;
        for (; high < Long.MAX_VALUE / 2 && anyAfter(high); high *= 2) {
            low = high;
        }
        while (high - low > 1) {
            long middle = (low + high) / 2;
            if (anyAfter(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    private boolean anyAfter(long seq) throws IOException, InterruptedException {
        return !api.having(api.retried(() -> api.get("/v1/audit?limit=1&cursor=" + seq)), "entries")
                .path("entries")
                .isEmpty();
    }

    /** On to what is its end now. */
    private void read(Consumer<JsonNode> each) throws IOException, InterruptedException {
        boolean more;
        do {
            String path = "/v1/audit?limit=100" + (since == null ? "" : "&since=" + Api.encoded(since))
                    + (cursor.isEmpty() ? "" : "&cursor=" + cursor);
            JsonNode answer = api.having(api.retried(() -> api.get(path)), "entries");
            for (JsonNode entry : answer.path("entries")) {
                each.accept(entry);
                cursor = entry.path("seq").asText();
            }
            more = answer.path("next_cursor").isTextual();
        } while (more);
    }

    private void print(JsonNode entry) {
        if (json()) {
            Page.json(entry);
            return;
        }
        var line = new StringBuilder(entry.path("at").asText());
        for (String name : List.of("actor", "action", "decision", "detail", "task_id", "cmd_preview")) {
            String value = entry.path(name).asText("");
            line.append(value.isEmpty() ? "" : "  " + Words.oneLine(value));
        }
        Page.line(line.toString());
    }
}
