package dev.holdfast.kill;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Answer;
import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.PackagedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The commands of one round, each of which counts to {@link #LINES}, and what their callers do meanwhile. */
final class Load {
    static final int LINES = 400;
    /** Lines that are typed, a request each. */
    static final int TYPED = 150;

    static final int EXIT_CODE = 7;
    static final String ALL =
            IntStream.rangeClosed(1, LINES).mapToObj(i -> i + "\n").collect(Collectors.joining());

    private static final String COUNT = count("0.05");
    /** Long enough to live still when something is killed. */
    private static final String COUNT_SLOWLY = count("0.4");

    private final Calls calls;
    private final int round;
    private final AtomicInteger typed = new AtomicInteger();
    private final List<CompletableFuture<Void>> callers = new CopyOnWriteArrayList<>();
    private final List<Fresh> fresh = new CopyOnWriteArrayList<>();
    private final List<Answer> repeated = new ArrayList<>();

    private final String stopped;
    private final String counter;
    private final String terminal;
    private final String echo;

    /** A request that may get no answer, with the key that makes it safe to repeat. */
    private record Fresh(String key, Map<String, Object> body) {}

    Load(PackagedServer server, int round) {
        this.calls = server.calls();
        this.round = round;
        stopped = calls.start(COUNT_SLOWLY + note("stopped"));
        counter = calls.start(COUNT + note("counter"));
        terminal = calls.start(COUNT_SLOWLY + note("terminal"), "tty", true);
        echo = calls.start("cat" + note("echo"), "accepts_input", true);
    }

    private static String count(String pause) {
        return "for i in $(seq " + LINES + "); do echo $i; case $i in *00) sleep " + pause + ";; esac; done; exit "
                + EXIT_CODE;
    }

    String stopped() {
        return stopped;
    }

    String counter() {
        return counter;
    }

    String terminal() {
        return terminal;
    }

    /** What reads its input and prints it; it never ends by itself. */
    String echo() {
        return echo;
    }

    List<String> known() {
        return List.of(stopped, counter, terminal, echo);
    }

    /** How many lines were typed whose taking was acknowledged. */
    int typed() {
        return typed.get();
    }

    void type() {
        call(() -> {
            for (int i = 1; i <= TYPED; i++) {
                calls.input(echo, "text", i + "\n").hasStatus(200);
                typed.set(i);
            }
        });
    }

    void stop() {
        call(() -> calls.stop(stopped, "grace_ms", 100));
    }

    /** One more command, by a caller who waits for it so long. */
    void startFresh(int yieldMs) {
        String key = "round-" + round + "-" + fresh.size();
        Map<String, Object> body = Calls.command(
                COUNT + note(key), "yield_time_ms", yieldMs, "duplicate_policy", "start_new", "labels", label(key));
        fresh.add(new Fresh(key, body));
        call(() -> send(fresh.getLast()));
    }

    private static Map<String, String> label(String key) {
        return Map.of("fresh", key);
    }

    private Answer send(Fresh one) {
        return calls.post("/v1/commands", one.body(), "Idempotency-Key", one.key());
    }

    /** Its callers have their answers, or know that the server is gone. */
    void awaitCallers() {
        callers.forEach(CompletableFuture::join);
    }

    /**
     * What a careful caller does after a crash: the same request again. Names those of which there is not exactly one.
     */
    List<String> repeatFresh() {
        List<String> wrong = new ArrayList<>();
        for (Fresh one : fresh) {
            Answer again = send(one);
            repeated.add(again);
            int status = again.status();
            int rows = calls.get("/v1/tasks?status=all&label=fresh%3D" + one.key())
                    .at("/tasks")
                    .size();
            if ((status != 202 && status != 200) || rows > 1) {
                wrong.add(one.key() + ": answer " + status + ", " + rows + " tasks");
            }
        }
        return wrong;
    }

    /** What {@link #repeatFresh} was told of the one that ended in its window. */
    JsonNode completed() {
        List<Answer> completed = repeated.stream()
                .filter(answer -> answer.text("/disposition").equals("completed"))
                .toList();
        assertThat(completed).hasSize(1);
        return completed.getFirst().json();
    }

    private String note(String name) {
        return " # round " + round + " " + name;
    }

    private void call(Runnable caller) {
        callers.add(CompletableFuture.runAsync(
                () -> {
                    try {
                        caller.run();
                    } catch (RuntimeException | AssertionError gone) {
                        // The server, or the command: what became of it is looked at afterwards.
                        return;
                    }
                },
                Thread::startVirtualThread));
    }
}
