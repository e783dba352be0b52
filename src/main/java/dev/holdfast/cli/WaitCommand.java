package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.task.Conditions;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Page;
import dev.holdfast.cli.terminal.Progress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Waits for tasks, and exits as the one that it waited for. */
@Command(
        name = "wait",
        description =
                "Waits for the end of tasks, or for what is named. Exits as the one task did, with 124 when it took too"
                        + " long, with 1 when it cannot come true any more.")
final class WaitCommand extends Remote {
    private static final int TOO_LONG = 124;
    /** The server's own bound. */
    private static final long LONGEST_MS = 600_000;

    @Option(names = "--any", description = "one of all that is waited for is enough")
    boolean any;

    @Option(names = "--port", paramLabel = "N", description = "until it listens there")
    @Nullable
    Integer port;

    @Option(names = "--output", paramLabel = "RE", description = "until its output matches")
    @Nullable
    String pattern;

    @Option(names = "--input", description = "until it waits for input")
    boolean input;

    @Option(names = "--idle", paramLabel = "30s", description = "until it has printed nothing for so long")
    @Nullable
    Duration idle;

    @Option(names = "--timeout", paramLabel = "10m", description = "at most so long")
    @Nullable
    Duration timeout;

    @Parameters(arity = "1..*", paramLabel = "ID")
    List<String> beginnings = new ArrayList<>();

    @Override
    int run() throws IOException, InterruptedException {
        refuse(port != null && !Conditions.isPort(port), "--port: a port is a number from 1 to 65535");
        var asked = new Conditions(port, pattern, input, idle);
        List<Conditions.Condition> conditions = new ArrayList<>();
        for (String beginning : beginnings) {
            String id = id(beginning);
            api.retried(() -> task(id)); // a server that has answered is waited for where it goes away
            conditions.addAll(asked.of(id));
        }
        JsonNode answer = waited(conditions);
        asJson(answer);
        if (answer.path("timed_out").asBoolean()) {
            Page.note("time is up, still waited for: " + unmet(conditions, answer));
            return TOO_LONG;
        }
        int held = answer.path("satisfied").size();
        if (held < (any ? 1 : conditions.size())) {
            Page.note("waited in vain for " + unmet(conditions, answer));
            return Failure.ERROR;
        }
        boolean oneEnd = conditions.size() == 1 && conditions.getFirst().isEnd();
        return oneEnd ? Words.exit(answer.path("tasks").path(0)) : 0;
    }

    private static String unmet(List<Conditions.Condition> conditions, JsonNode answer) {
        List<Conditions.Condition> left = new ArrayList<>(conditions);
        answer.path("satisfied").forEach(index -> left.remove(conditions.get(index.asInt())));
        return left.stream()
                .map(condition -> condition.body().get("task_id") + " until " + condition.words())
                .collect(Collectors.joining("; "));
    }

    /** Also over a restart of the server. */
    private JsonNode waited(List<Conditions.Condition> conditions) throws IOException, InterruptedException {
        String many = conditions.size() == 1 ? "" : (any ? "one of " : "all of ") + conditions.size() + ", first ";
        Conditions.Condition first = conditions.getFirst();
        try (var _ = Progress.of("waiting for " + many + first.body().get("task_id") + " until " + first.words())) {
            return answered(conditions);
        }
    }

    private JsonNode answered(List<Conditions.Condition> conditions) throws IOException, InterruptedException {
        List<Map<String, Object>> bodies =
                conditions.stream().map(Conditions.Condition::body).toList();
        long from = System.nanoTime();
        while (true) {
            JsonNode answer = api.retried(() -> asked(bodies, from));
            if (!answer.path("timed_out").asBoolean() || left(from) == 0) {
                return answer;
            }
        }
    }

    private JsonNode asked(List<Map<String, Object>> bodies, long from) throws IOException, InterruptedException {
        long left = left(from);
        var body = Map.of(any ? "any" : "all", bodies, "timeout_ms", Math.min(LONGEST_MS, left));
        try {
            return api.having(api.post("/v1/wait", body), "timed_out", "satisfied", "tasks");
        } catch (IOException away) {
            if (left > 0) {
                throw away;
            }
            throw new Failure(TOO_LONG, "time is up, and the server is away");
        }
    }

    /** In milliseconds. */
    private long left(long from) {
        long waited = (System.nanoTime() - from) / 1_000_000;
        return timeout == null ? LONGEST_MS : Math.max(0, timeout.toMillis() - waited);
    }
}
