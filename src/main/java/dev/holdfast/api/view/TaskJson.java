package dev.holdfast.api.view;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.HostedCommand;
import dev.holdfast.runtime.OutputStore;
import dev.holdfast.runtime.TaskView;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Task;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Tasks as JSON. Every field is there always, null where there is nothing to say, but {@code processes}, which one task has and a listed
 * one has not. */
public final class TaskJson {
    /** The one kind of task there is. */
    static final String KIND = "command_task";

    private TaskJson() {}

    public static byte[] task(TaskView view) {
        return Json.bytes(json -> write(json, view));
    }

    public static byte[] listing(Tasks.Listing listing) {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("tasks");
            for (TaskView view : listing.tasks()) {
                json.writeStartObject();
                fields(json, view);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeNumberField("total_active", listing.totalActive());
            var next = listing.next();
            Json.text(json, "next_cursor", next == null ? null : next.value());
            json.writeEndObject();
        });
    }

    public static byte[] stopped(Tasks.StopOutcome outcome) {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeFieldName("task");
            write(json, outcome.task());
            json.writeBooleanField("stop_requested", outcome.stopRequested());
            json.writeBooleanField("force_stop_requested", outcome.forceStopRequested());
            json.writeArrayFieldStart("survivors");
            for (long pid : outcome.survivors()) {
                json.writeNumber(pid);
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    public static byte[] input(Tasks.InputOutcome outcome, boolean eof) {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeBooleanField("accepted_input", true);
            json.writeStringField("input_target", outcome.inputTarget());
            json.writeNumberField("bytes_written", outcome.bytesWritten());
            json.writeStringField(
                    "summary_text",
                    "Wrote " + outcome.bytesWritten() + " bytes to " + outcome.inputTarget()
                            + (eof ? ", then ended the input" : ""));
            json.writeEndObject();
        });
    }

    /** A task that was asked for, with its live processes. */
    private static void write(JsonGenerator json, TaskView view) throws IOException {
        json.writeStartObject();
        fields(json, view);
        processes(json, view.live());
        json.writeEndObject();
    }

    private static void fields(JsonGenerator json, TaskView view) throws IOException {
        Task task = view.task();
        json.writeStringField("task_id", task.id().value());
        json.writeStringField("task_kind", KIND);
        json.writeStringField("status", name(task.status()));
        json.writeStringField("summary", Diagnostics.summary(task.command().invocation()));
        Json.time(json, "created_at", task.createdAt());
        Json.time(json, "started_at", task.startedAt());
        Json.time(json, "promoted_at", task.promotedAt());
        Json.time(json, "updated_at", task.updatedAt());
        Json.time(json, "ended_at", task.endedAt());
        command(json, task);
        ending(json, task.ending());
        details(json, task.ending());
        output(json, view.output());
        live(json, view.live());
        json.writeObjectFieldStart("labels");
        for (Map.Entry<String, String> label : new TreeMap<>(task.command().labels()).entrySet()) {
            json.writeStringField(label.getKey(), label.getValue());
        }
        json.writeEndObject();
    }

    /** The object {@code command} of a task. */
    static void command(JsonGenerator json, Task task) throws IOException {
        CommandSpec command = task.command();
        json.writeObjectFieldStart("command");
        switch (command.invocation()) {
            case Invocation.ShellText shell -> {
                json.writeStringField("cmd", shell.cmd());
                json.writeNullField("argv");
            }
            case Invocation.Program program -> {
                json.writeNullField("cmd");
                Json.texts(json, "argv", program.argv());
            }
        }
        json.writeStringField("cmd_digest", digest(command.invocation()));
        json.writeStringField("workdir", command.workdir().toString());
        shell(json, command.invocation());
        json.writeBooleanField("tty", command.tty());
        json.writeBooleanField("accepts_input", command.acceptsInput());
        Json.text(json, "input_target", inputTarget(command));
        Json.texts(json, "env_keys", command.envKeys());
        json.writeBooleanField("promoted_from_exec_command", task.promotedAt() != null);
        json.writeEndObject();
    }

    private static void shell(JsonGenerator json, Invocation invocation) throws IOException {
        if (invocation instanceof Invocation.ShellText shell) {
            json.writeStringField("shell", shell.shell());
            json.writeBooleanField("login", shell.login());
        } else {
            json.writeNullField("shell");
            json.writeNullField("login");
        }
    }

    private static @Nullable String inputTarget(CommandSpec command) {
        if (!command.acceptsInput()) {
            return null;
        }
        return command.tty() ? "tty" : "stdin";
    }

    /** SHA-256 of the shell text, or of the arguments with a NUL after each. */
    private static String digest(Invocation invocation) {
        String text = switch (invocation) {
            case Invocation.ShellText shell -> shell.cmd();
            case Invocation.Program program -> String.join("\0", program.argv()) + "\0";
        };
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Hexadecimal. */
    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    static void ending(JsonGenerator json, @Nullable Ending ending) throws IOException {
        Json.number(json, "exit_status", ending == null ? null : ending.exitStatus());
        Json.text(json, "exit_signal", ending == null ? null : ending.exitSignal());
        Json.text(json, "ended_by", ending == null ? null : name(ending.endedBy()));
    }

    /** What else is known of how it ended. */
    static void details(JsonGenerator json, @Nullable Ending ending) throws IOException {
        json.writeObjectFieldStart("details");
        if (ending != null) {
            for (Map.Entry<String, String> detail : new TreeMap<>(ending.details()).entrySet()) {
                json.writeFieldName(detail.getKey());
                switch (detail.getKey()) {
                    case "out_of_memory" -> json.writeBoolean(Boolean.parseBoolean(detail.getValue()));
                    case "killed_pid" -> json.writeNumber(Long.parseLong(detail.getValue()));
                    default -> json.writeString(detail.getValue());
                }
            }
        }
        json.writeEndObject();
    }

    private static void output(JsonGenerator json, OutputStore.Facts facts) throws IOException {
        json.writeObjectFieldStart("output");
        json.writeNumberField("stdout_bytes", facts.stdoutBytes());
        json.writeNumberField("stderr_bytes", facts.stderrBytes());
        json.writeNumberField("omitted_bytes", facts.omittedBytes());
        Json.time(json, "last_output_at", facts.lastOutputAt());
        json.writeEndObject();
    }

    private static void live(JsonGenerator json, HostedCommand.@Nullable ProcessFacts live) throws IOException {
        var main = live == null ? null : live.main();
        if (main == null) {
            json.writeNullField("process");
        } else {
            json.writeObjectFieldStart("process");
            json.writeNumberField("pid", main.pid());
            Json.time(json, "started_at", main.startedAt());
            json.writeEndObject();
        }
        Json.text(json, "waiting", live == null ? null : name(live.waiting()));
        json.writeArrayFieldStart("ports");
        if (live != null) {
            for (int port : live.ports()) {
                json.writeNumber(port);
            }
        }
        json.writeEndArray();
    }

    /** Those of the task itself, without the launcher's; their command lines as a preview shows commands. */
    private static void processes(JsonGenerator json, HostedCommand.@Nullable ProcessFacts live) throws IOException {
        json.writeArrayFieldStart("processes");
        if (live != null) {
            for (HostedCommand.LiveProcess process : live.processes()) {
                json.writeStartObject();
                json.writeNumberField("pid", process.pid());
                json.writeNumberField("parent_pid", process.parent());
                json.writeStringField("command", commandLine(process));
                json.writeNumberField("memory_bytes", process.memoryBytes());
                json.writeNumberField("cpu_ms", process.cpuTime().toMillis());
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    private static String commandLine(HostedCommand.LiveProcess process) {
        return process.arguments().isEmpty()
                ? "[" + process.name() + "]"
                : Diagnostics.summary(new Invocation.Program(process.arguments()));
    }

    /** An enum's name as callers see it. */
    public static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
