package dev.holdfast.tool;

import static dev.holdfast.acceptance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Json;
import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Acting;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import dev.holdfast.task.TaskStatus;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Calls tools as a model does, with tasks in each state that there is. */
@Singleton
class ToolBench {
    private static final Pattern ID = Pattern.compile("task_[0-9A-Z]{26}");
    private static final Path TOOLS = Path.of("").toAbsolutePath();
    /** The pid of the interrupted one, which no process has. */
    private static final long NOBODY = 4_194_303;

    private final ToolRegistry tools;
    private final Tasks tasks;
    private final TaskControl control;
    private final TaskStore store;
    private final HoldfastConfig config;
    private final TaskIds ids = new TaskIds(InstantSource.system(), new Random());
    private final ServerSocket listener;

    @Inject
    ToolBench(ToolRegistry tools, Tasks tasks, TaskControl control, TaskStore store, HoldfastConfig config)
            throws IOException {
        this.tools = tools;
        this.tasks = tasks;
        this.control = control;
        this.store = store;
        this.config = config;
        this.listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    Tool<?> tool(String profile, String name) {
        return tools.find(Profile.named(profile), name).orElseThrow();
    }

    private ToolAnswer call(String profile, String name, Map<String, ?> input) {
        byte[] json = Json.write(input).getBytes(StandardCharsets.UTF_8);
        return Acting.as(Actor.OPERATOR, () -> tools.call(tool(profile, name), json, new Call(Call.NO_LIMIT)));
    }

    String text(String profile, String name, Map<String, ?> input) {
        return call(profile, name, input).text();
    }

    private JsonNode result(String name, Map<String, ?> input) {
        ToolAnswer answer = call("holdfast", name, input);
        assertThat(answer.failed()).as(answer.text()).isFalse();
        return Json.read(dev.holdfast.message.view.Json.text(answer.result()));
    }

    String task(String cmd) {
        return task(cmd, false);
    }

    /** As it is started again by who says nothing but its text. */
    void running(String cmd) {
        result("ExecCommand", object("cmd", cmd, "yield_time_ms", 0));
    }

    String task(String cmd, boolean input) {
        Map<String, Object> start =
                object("cmd", cmd, "shell", "sh", "login", false, "yield_time_ms", 0, "duplicate_policy", "start_new");
        if (input) {
            start.put("accepts_input", true);
        }
        return result("ExecCommand", start).at("/task_handle/task_id").asText();
    }

    /** Once it has printed that. */
    String printing(String cmd, String printed) {
        String id = task(cmd);
        var condition = object("task_id", id, "until", "output_matches", "pattern", printed);
        assertThat(result("Wait", object("any", List.of(condition))).at("/satisfied"))
                .hasSize(1);
        return id;
    }

    String ended(String cmd) {
        String id = task(cmd);
        assertThat(Acting.as(Actor.OPERATOR, () -> tasks.awaitEnd(new TaskId(id), Duration.ofSeconds(60))))
                .isTrue();
        return id;
    }

    Map<String, ?> wait(String until, String field, String value) {
        String id = printing("echo on; exec sleep 399", "on");
        return object("any", List.of(object("task_id", id, "until", until, field, value)), "timeout_ms", 100);
    }

    /** It printed something, and nobody saw how it ended. */
    String interrupted() {
        return interrupted(ids.next());
    }

    String interrupted(TaskId id) {
        Instant now = Instant.now();
        CommandSpec command = PlainCommand.of(new Invocation.ShellText("make all", "/bin/sh", false), Path.of("/tmp"));
        Ending ending = new Ending(EndedBy.UNKNOWN, null, null, Map.of());
        Task task = new Task(id, command, TaskStatus.INTERRUPTED, now, now, now, now, now, ending, 0);
        TaskFolder folder = TaskFolder.of(config.dataDir(), task.id());
        try {
            Files.createDirectories(folder.path());
            Files.writeString(folder.path().resolve("out"), "half done\n");
            Files.writeString(folder.path().resolve("err"), "");
            Files.writeString(folder.pid(), "1 (sh)\n" + NOBODY + " (make)\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return store.insert(task).id().value();
    }

    /** Its id is told by the path of what it printed alone. */
    String inItsWindow() {
        JsonNode answer = result("ExecCommand", object("cmd", "seq 999", "login", false, "max_output_tokens", 1));
        Matcher id = ID.matcher(answer.at("/artifacts/0/path").asText());
        assertThat(id.find()).isTrue();
        return id.group();
    }

    String forgotten() {
        String id = ended("true");
        Acting.as(Actor.OPERATOR, () -> tasks.delete(new TaskId(id)));
        return id;
    }

    /** A command that leaves something running. */
    String leaving(String cmd) {
        return "sleep 398 & " + cmd + "; until grep -qsxz 398 /proc/$!/cmdline; do :; done";
    }

    String failsForAPort() {
        return "echo 'EADDRINUSE: address already in use 127.0.0.1:" + listener.getLocalPort() + "'; exit 1";
    }

    long number(String id) {
        return TaskIds.number(new TaskId(id));
    }

    /** It does that when its {@link #pid} can be read. */
    String onceOnRecord(String cmd) {
        return "until [ $(wc -l <" + config.dataDir() + "/tasks/$HOLDFAST_TASK/pid) -gt 1 ]; do sleep 0.1; done; "
                + cmd;
    }

    long pid(String id) {
        try {
            String line = Files.readAllLines(
                            TaskFolder.of(config.dataDir(), new TaskId(id)).pid())
                    .get(1);
            return Long.parseLong(line.substring(0, line.indexOf(' ')));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    void stopAll() {
        Acting.as(Actor.OPERATOR, () -> {
            for (Task task : tasks.page(TaskStore.Query.newest(TaskStore.StatusFilter.ALL, 100, null))
                    .tasks()) {
                control.stop(task.id(), Duration.ZERO, true);
                tasks.delete(task.id());
            }
        });
    }

    /** Without what differs from run to run. */
    String plain(String text) {
        Map<String, String> names = new LinkedHashMap<>();
        String plain = ID.matcher(text)
                .replaceAll(id -> names.computeIfAbsent(id.group(), _ -> "<task " + (char) ('A' + names.size()) + ">"));
        for (String[] known : new String[][] {
            {Pattern.quote(config.dataDir().toAbsolutePath().toString()), "<data>"},
            {Pattern.quote(TOOLS.toString()), "<workspace>"},
            {Pattern.quote(System.getenv("PATH")), "<path>"},
            {"(?<=shell=)\\S+", "<shell>"},
            {"\\b" + listener.getLocalPort() + "\\b", "<port>"},
            {"\\b" + ProcessHandle.current().pid() + "\\b", "<server>"},
            {"(?<=Chunk ID: )[0-9a-f]{6}", "<id>"},
            {"(?<=Wall time: )[0-9.]+", "<time>"},
            {"(?<=session ID )\\d+|(?<=process id )\\d{9,}", "<session>"},
            {"(?<=PID:? |PIDs: )\\d+", "<pid>"},
            {"(?m)^\\d+(?= sleep 398)", "<pid>"},
            {"(?<=Forgotten at: )\\S+", "<time>"},
            {"(?<=  )\\d+s(?=  )", "<age>"},
            {"(?<=Started: )\\d+s", "<age>"}
        }) {
            plain = plain.replaceAll(known[0], Matcher.quoteReplacement(known[1]));
        }
        return plain;
    }
}
