package dev.holdfast.kill;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Answer;
import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.EventStream;
import dev.holdfast.acceptance.Json;
import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.acceptance.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Who asks for one command, does with it what its kind needs, and holds all that is told of it against what is known.
 * What gets no answer is asked again.
 */
final class Caller {
    /** How much of each stream is kept. */
    static final int BUDGET = 1 << 20;

    /** On a slow machine a server takes most of a minute to start, and is killed a second later. */
    private static final Duration BETWEEN_KILLS = Duration.ofMinutes(5);

    /** A gap ends where a block of the disk does. */
    private static final int BLOCK = 4096;

    private static final Pattern GAP = Pattern.compile("(\\d+)-(\\d+)");

    private final PackagedServer server;
    private final Calls calls;
    private final Plan plan;
    /** Its task, once one is told of. */
    private volatile @Nullable String handle;

    /** What a person is asked for it. */
    private volatile @Nullable String approval;

    private volatile String heard = "";

    Caller(PackagedServer server, Plan plan) {
        this.server = server;
        this.calls = server.calls();
        this.plan = plan;
    }

    /** What was answered last. */
    String heard() {
        return heard;
    }

    /** @return its task; null when it ended in its window and is none */
    @Nullable
    String run() throws IOException {
        List<Answer> first = together(key -> start(key, _ -> true));
        meanwhile();
        List<Answer> last = together(key -> start(key, Caller::completed));
        Stream.concat(first.stream().filter(Caller::completed), last.stream()).forEach(this::checkAnswer);
        ask(() -> calls.post("/v1/commands", Map.of("cmd", "touch never"), "Idempotency-Key", plan.name()))
                .refused(409, "idempotency_key_reused");
        JsonNode rows = get("/v1/tasks?status=all&label=plan%3D" + plan.name()).at("/tasks");
        assertThat(rows.size()).as("tasks").isBetween(handle == null ? 0 : 1, 1);
        for (JsonNode task : rows) {
            handle = same(handle, task.path("task_id").asText());
            checkTask(task);
        }
        afterwards();
        assertThat(noted("ran")).as("runs").isEqualTo("r");
        return handle;
    }

    private List<Answer> together(Function<String, Answer> call) {
        return plan.keys().stream()
                .map(key -> CompletableFuture.supplyAsync(() -> call.apply(key), Thread::startVirtualThread))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();
    }

    private void meanwhile() throws IOException {
        switch (plan.kind()) {
            case TWINS -> go();
            case ASKED -> once(() -> calls.post("/v1/approvals/" + approval, Map.of("decision", "allow")));
            case SIGNALLED -> {
                await("any", until("output_matches", "pattern", "b"));
                once(() -> calls.signal(id(), "HUP"));
            }
            case STOPPED -> stop(60_000);
            case DEAF -> stop(500);
            case TYPED, INPUT -> type();
            case FOLLOWED -> {
                if (handle != null) { // it may have ended before a server came that lived long enough
                    follow();
                }
            }
            case AWAITED -> {
                String last = plan.out().lines().toList().getLast();
                await("any", until("output_matches", "pattern", "^" + last + "$"));
                go();
                await("all", until("end"), until("output_matches", "pattern", "^1$"));
            }
            default -> {}
        }
    }

    private void afterwards() throws IOException {
        switch (plan.kind()) {
            case CHILDREN ->
                Awaitility.await()
                        .atMost(Calls.PATIENCE)
                        .until(() -> handle == null
                                || Processes.marked("HOLDFAST_TASK", id()).isEmpty());
            case LEAVES -> stop(100);
            case BATCH -> batch();
            case FORGOTTEN -> {
                ask(() -> calls.delete("/v1/tasks/" + id()), answer -> answer.status() == 404);
                ask(() -> calls.post("/v1/commands", plan.body(), "Idempotency-Key", plan.name()))
                        .refused(404, "task_not_found");
                handle = null;
            }
            default -> {}
        }
    }

    private Answer start(String key, Predicate<Answer> wanted) {
        return ask(() -> calls.post("/v1/commands", plan.body(), "Idempotency-Key", key), answer -> {
            assertThat(answer.status()).as(answer.body()).isIn(200, 202);
            switch (answer.text("/disposition")) {
                case "completed" -> {}
                case "awaiting_approval" -> approval = same(approval, answer.text("/approval_id"));
                default -> handle = same(handle, answer.text("/task_handle/task_id"));
            }
            return wanted.test(answer);
        });
    }

    private static boolean completed(Answer answer) {
        return answer.text("/disposition").equals("completed");
    }

    private static String same(@Nullable String before, String id) {
        assertThat(id).as("a command is asked for once, and one task").isEqualTo(before == null ? id : before);
        return id;
    }

    private String id() {
        return Objects.requireNonNull(handle);
    }

    private Answer ask(Supplier<Answer> request) {
        return ask(request, _ -> true);
    }

    private Answer ask(Supplier<Answer> request, Predicate<Answer> wanted) {
        return Awaitility.await()
                .atMost(BETWEEN_KILLS)
                .ignoreExceptionsMatching(failure -> failure.getCause() instanceof IOException)
                .until(request::get, answer -> {
                    heard = answer.body();
                    return wanted.test(answer);
                });
    }

    private Answer get(String path) {
        return ask(() -> calls.get(path)).hasStatus(200);
    }

    /** What cannot be said twice: it may have been taken although nothing answered. @return how often it was said */
    private int once(Supplier<Answer> request) {
        var tries = new AtomicInteger();
        Answer answer = ask(() -> {
            tries.incrementAndGet();
            return request.get();
        });
        if (tries.get() == 1 || answer.status() != 409) {
            answer.hasStatus(200);
        }
        return tries.get();
    }

    private void checkAnswer(Answer answer) {
        checkEnd(answer.json());
        if (plan.isText()) {
            assertThat(answer.at("/stdout_preview").asText(""))
                    .isEqualTo(plan.out().replace("\r", ""));
            assertThat(answer.at("/stderr_preview").asText("")).isEqualTo(plan.err());
        }
    }

    private void checkEnd(JsonNode told) {
        String end = Stream.of("ended_by", "exit_status", "exit_signal")
                .map(field -> told.path(field).asText())
                .filter(text -> !text.equals("null"))
                .collect(Collectors.joining(" "));
        assertThat(end).as("end").isEqualTo(plan.end());
    }

    private void checkTask(JsonNode task) throws IOException {
        checkEnd(task);
        assertThat(task.path("status").asText()).isEqualTo(plan.status());
        assertThat(checkPages("stdout") + checkPages("stderr"))
                .as("omitted")
                .isEqualTo(task.at("/output/omitted_bytes").asInt(-1));
        if (plan.isText()) {
            follow();
        }
        JsonNode journal = get("/v1/audit?limit=1000&task_id=" + id()).at("/entries");
        assertThat(journal.findValuesAsText("action")).contains("end").containsOnlyOnce("start");
    }

    /** @return how many bytes are left out */
    private int checkPages(String stream) {
        var told = new StringBuilder();
        int omitted = 0;
        for (boolean end = false; !end; ) {
            String query = "?max_bytes=100000&stream=" + stream + "&cursor=" + told.length();
            Answer page = ask(() -> calls.raw(id(), query)).hasStatus(200);
            var bytes = new StringBuilder(new String(page.bytes(), ISO_8859_1));
            for (MatchResult gap :
                    GAP.matcher(page.header("Holdfast-Omitted")).results().toList()) {
                int from = Integer.parseInt(gap.group(1));
                int to = Integer.parseInt(gap.group(2));
                bytes.insert(from - told.length(), plan.printed(stream), from, to);
                omitted += to - from;
            }
            told.append(bytes);
            assertThat(page.header("Holdfast-Next-Cursor")).isEqualTo("" + told.length());
            end = page.header("Holdfast-End").equals("true");
        }
        assertThat(told.compareTo(new StringBuilder(plan.printed(stream))))
                .as(() -> stream + ": " + told)
                .isZero();
        assertThat(omitted).isBetween(0, Math.max(0, told.length() - BUDGET + BLOCK));
        return omitted;
    }

    /** Each byte is told once and in order, over any number of servers. */
    private void follow() throws IOException {
        List<EventStream.Event> events = new ArrayList<>();
        while (events.stream().noneMatch(EventStream.Event::ended)) {
            get("/q/health/ready");
            String last = events.isEmpty() ? "" : events.getLast().id();
            try (var stream = EventStream.open(server, "/v1/tasks/" + id() + "/events", "Last-Event-ID", last)) {
                stream.awaitOver();
                events.addAll(stream.events());
            } catch (AssertionError gone) {
                assertThat(gone).hasCauseInstanceOf(IOException.class);
            }
        }
        for (String stream : List.of("stdout", "stderr")) {
            var told = new StringBuilder();
            int at = 0;
            for (EventStream.Event event : events) {
                if (event.text("stream").equals(stream)) {
                    assertThat(event.data().path("from").asInt()).isEqualTo(at);
                    at = event.data().path("to").asInt();
                    told.append(event.text("text"));
                }
            }
            assertThat(at).isEqualTo(plan.printed(stream).length());
            assertThat(told).as(stream).hasToString(plan.printed(stream).replace("\r", ""));
        }
    }

    /** Once it has begun. */
    private void stop(int graceMs) {
        await("any", until("output_matches", "pattern", "b"));
        Answer answer = ask(() -> calls.stop(id(), "grace_ms", graceMs)).hasStatus(200);
        assertThat(answer.at("/survivors")).isEmpty();
        assertThat(Processes.marked("HOLDFAST_TASK", id()))
                .as("what a stop left")
                .isEmpty();
    }

    private void type() throws IOException {
        await("any", until("needs_input"));
        int typed = 0;
        for (int i = 1; i <= Plan.TYPED; i++) {
            String line = i + "\n";
            typed += once(() -> calls.input(id(), "text", line));
        }
        once(() -> calls.input(id(), "eof", true));
        await("any", until("end"));
        assertThat(noted("read").length()).as("lines read").isBetween(Plan.TYPED, typed);
    }

    private Map<String, @Nullable Object> until(String until, Object... more) {
        Map<String, @Nullable Object> condition = Json.object("task_id", id(), "until", until);
        condition.putAll(Json.object(more));
        return condition;
    }

    private void await(String which, Object... conditions) {
        Map<String, @Nullable Object> body = Json.object(which, conditions, "timeout_ms", 60_000);
        Answer answer = ask(() -> calls.post("/v1/wait", body)).hasStatus(200);
        assertThat(answer.at("/satisfied").size()).as(answer.body()).isEqualTo(conditions.length);
    }

    /** It cannot be repeated: of one that got no answer the first items ran once, and the others never. */
    private void batch() throws IOException {
        var tries = new AtomicInteger();
        Answer answer = ask(() -> calls.post("/v1/commands/batch", Map.of("items", items(tries.incrementAndGet()))));
        assertThat(answer.json().findValuesAsText("exit_status")).containsExactly("0", "1", "2");
        assertThat(answer.json().findValuesAsText("stdout_preview")).containsExactly("0\n", "1\n", "2\n");
        assertThat(noted("batch" + tries)).isEqualTo("012");
        for (int i = 1; i < tries.get(); i++) {
            assertThat("012").startsWith(noted("batch" + i));
        }
    }

    private List<Map<String, Object>> items(int attempt) {
        String text = "printf %d >> %s.batch%d; sleep 0.2; echo %1$d; exit %1$d";
        return IntStream.range(0, 3)
                .mapToObj(i ->
                        Calls.command(text.formatted(i, plan.name(), attempt), "labels", Map.of("batch", plan.name())))
                .toList();
    }

    private void go() throws IOException {
        Files.createFile(file("go"));
    }

    private String noted(String suffix) throws IOException {
        return Files.exists(file(suffix)) ? Files.readString(file(suffix)) : "";
    }

    private Path file(String suffix) {
        return server.workspace().resolve(plan.name() + "." + suffix);
    }
}
