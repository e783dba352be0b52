package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.task.Attachment;
import dev.holdfast.cli.task.Conditions;
import dev.holdfast.cli.task.Follow;
import dev.holdfast.cli.task.InterruptKey;
import dev.holdfast.cli.task.Question;
import dev.holdfast.cli.task.StandardInput;
import dev.holdfast.cli.task.Until;
import dev.holdfast.cli.task.Window;
import dev.holdfast.cli.task.Words;
import dev.holdfast.cli.terminal.DetachKey;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Interrupts;
import dev.holdfast.cli.terminal.OurTerminal;
import dev.holdfast.cli.terminal.Page;
import dev.holdfast.cli.terminal.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a command on the server, and is for whoever started it what the command would be. */
@Command(
        name = "run",
        description = "Runs a command, and prints what it prints. ^C interrupts it, a second one stops it.",
        sortOptions = false)
final class RunCommand extends Remote {
    private static final int NOT_THERE = 127;
    /** Longer than any question stays open. */
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    @Option(names = "-d", description = "print the task's id at once, and leave it running")
    boolean detached;

    @Option(names = "-i", description = "pass on what is typed or piped into this")
    boolean input;

    @Option(names = "-t", description = "in a terminal, shown in ours; the detach key leaves it running")
    boolean terminal;

    @Option(
            names = "--detach-key",
            paramLabel = "KEY",
            defaultValue = DetachKey.USUAL,
            converter = DetachKey.Converter.class,
            description = "with -t: leaves it; ${DEFAULT-VALUE} else")
    @SuppressWarnings("NullAway.Init")
    DetachKey leave;

    @Option(names = "-w", paramLabel = "DIR", description = "run in this folder instead of the current one")
    Path workdir = Path.of("");

    @Option(names = "-e", paramLabel = "K=V", description = "an environment variable")
    List<String> env = new ArrayList<>();

    @Option(names = "-l", paramLabel = "K=V", description = "a label")
    List<String> labels = new ArrayList<>();

    @Option(names = "--until-port", paramLabel = "N", description = "be done when it listens on this port")
    @Nullable
    Integer port;

    @Option(names = "--until-output", paramLabel = "RE", description = "be done when a line of it matches")
    @Nullable
    String pattern;

    @Option(names = "--timeout", paramLabel = "10m", description = "stop it after so long")
    @Nullable
    Duration timeout;

    @Option(names = "--new", description = "start another one where the same command runs already")
    boolean another;

    @Option(names = "--sandbox", paramLabel = "none|read_only|workspace_write", description = "a wall around it")
    @Nullable
    String sandbox;

    @Parameters(arity = "1..*", paramLabel = "CMD", description = "one word: text for a shell; several: a program")
    List<String> command = new ArrayList<>();

    @Override
    int run() throws IOException, InterruptedException {
        refuseWhatDoesNotGoTogether();
        Optional<OurTerminal.Size> size = Optional.empty();
        if (terminal) {
            size = detached || json() ? OurTerminal.size() : Optional.of(OurTerminal.checked());
        }
        var interrupts = new InterruptKey(api);
        Interrupts.handle("INT", interrupts);
        Map<String, Object> body = body(size);
        String key = UUID.randomUUID().toString();
        if (json() && !detached) {
            return printed(new Window(api, interrupts, until(), () -> answer(body, key)).answer());
        }
        JsonNode answer = answer(body, "");
        if (detached) {
            return left(answer, interrupts);
        }
        String id = started(answer, interrupts);
        interrupts.starts(id);
        if (terminal) {
            return inTerminal(id, answer.path("disposition").asText().equals("already_running"));
        }
        if (input) {
            new StandardInput(api, id).begin();
        }
        return follow(id);
    }

    private void refuseWhatDoesNotGoTogether() {
        refuse(port != null && !Conditions.isPort(port), "--until-port: a port is a number from 1 to 65535");
        refuse(
                detached && !until().isEmpty(),
                "-d waits for nothing: holdfast wait --port or --output does, with the id");
        refuse(
                json() && input && !detached,
                "--json is one answer of the server: -i goes with it by -d, and holdfast send with the id");
    }

    private Conditions until() {
        return new Conditions(port, pattern, false, null);
    }

    private static int printed(JsonNode answer) {
        Page.json(answer);
        return switch (answer.path("disposition").asText()) {
            case "completed" -> Words.exit(answer);
            case "awaiting_approval" -> Failure.ERROR;
            default -> 0;
        };
    }

    /** With its id told, and what is to be done where nothing runs yet. */
    private int left(JsonNode answer, InterruptKey interrupts) {
        String approval = answer.path("approval_id").asText();
        String id = approval.isEmpty() ? task(answer) : approval;
        if (!asJson(answer)) {
            Page.line(id);
        }
        if (approval.isEmpty()) {
            interrupts.starts(id);
            return 0;
        }
        new Question(api, approval).tell();
        Page.note("it starts once it is allowed; holdfast approvals -a tells its task then");
        interrupts.asks(approval);
        return Failure.ERROR;
    }

    /** @param key by which it may be asked twice; empty for none */
    private JsonNode answer(Map<String, Object> body, String key) throws IOException, InterruptedException {
        String path = "/v1/commands";
        try {
            return api.having(key.isEmpty() ? api.post(path, body) : api.post(path, body, key), "disposition");
        } catch (Refused refused) {
            if (!refused.is("command_spawn_failed")) {
                throw refused;
            }
            asJson(refused.problem());
            throw new Failure(NOT_THERE, Told.of(refused, api::isLocal).words());
        }
    }

    private Map<String, Object> body(Optional<OurTerminal.Size> size) {
        Path folder = workdir.toAbsolutePath().normalize();
        refuse(
                folder.toString().indexOf('\ufffd') >= 0 && !Files.isDirectory(folder), // as the JVM cannot decode it
                "the name of the current folder is not UTF-8: -w names another");
        Map<String, Object> body = new LinkedHashMap<>();
        if (command.size() == 1) {
            body.put("cmd", command.getFirst());
        } else {
            body.put("argv", command);
        }
        body.put("workdir", folder.toString());
        body.put("env", pairs("-e", env));
        body.put("labels", pairs("-l", labels));
        body.put("tty", terminal);
        size.ifPresent(ours -> body.putAll(ours.body()));
        body.put("accepts_input", input || terminal);
        body.put("duplicate_policy", another ? "start_new" : "reuse_running");
        body.put("yield_time_ms", 0);
        if (!until().isEmpty()) {
            body.put("yield_when", until().yieldWhen()); // where it cannot be waited for, nothing is started
        }
        if (timeout != null) {
            body.put("timeout_ms", timeout.toMillis());
        }
        if (sandbox != null) {
            body.put("sandbox", sandbox);
        }
        return body;
    }

    private String started(JsonNode answer, InterruptKey interrupts) throws IOException, InterruptedException {
        String approval = answer.path("approval_id").asText();
        if (approval.isEmpty()) {
            return task(answer);
        }
        var question = new Question(api, approval);
        question.tell();
        interrupts.asks(approval);
        try (var _ = Progress.of("waiting for an answer to " + approval)) {
            return Question.task(question.answered(FOR_EVER));
        }
    }

    private String task(JsonNode answer) {
        String id = answer.at("/task_handle/task_id").asText();
        if (id.isEmpty()) {
            throw new Failure("the server answered nothing that is known here: " + answer);
        }
        if (!json() && answer.path("disposition").asText().equals("already_running")) {
            Page.note("this runs already, as " + id + "; --new starts another");
        }
        return id;
    }

    private int follow(String id) throws IOException, InterruptedException {
        Follow output = new Follow(api, id);
        Until until = until(id, output);
        try {
            output.both(false, true, 0, 0);
        } catch (Page.Closed closed) {
            if (Words.runs(task(id))) {
                Page.note(id + " runs on, though nobody reads it here: holdfast stop ends it");
            }
            throw closed;
        }
        return until.told() ? 0 : ended(id);
    }

    /** Watches for what is waited for, if anything is. */
    private Until until(String id, Follow output) {
        var until = new Until(api, id, output, until());
        if (!until().isEmpty()) {
            Thread.ofVirtual().start(until);
        }
        return until;
    }

    /**
     * A new one goes on where our cursor is, byte for byte, as a program of our own would; of one that ran already the
     * screen is painted.
     */
    private int inTerminal(String id, boolean old) throws IOException, InterruptedException {
        Follow output = new Follow(api, id);
        Until until = until(id, output);
        boolean left;
        if (old) {
            left = AttachCommand.shown(api, id, leave);
        } else {
            try (OurTerminal ours = OurTerminal.take()) {
                left = AttachCommand.awaited(
                        AttachCommand.printed(new Attachment(api, id, ours, leave, false), output));
                if (left) {
                    ours.drawnOn();
                }
            }
        }
        if (left) {
            Page.note(id + " runs on: holdfast attach comes back");
            return 0;
        }
        return until.told() ? 0 : ended(id);
    }

    private int ended(String id) throws IOException, InterruptedException {
        JsonNode task = api.retried(() -> looked(id));
        if (task.path("ended_by").asText().matches("timeout|idle_timeout|output_limit|reboot|unknown")) {
            Page.note(id + " was ended: " + task.path("ended_by").asText());
        }
        Words.cause(task).ifPresent(Page::note);
        Words.doubt(task).ifPresent(Page::note);
        List<String> left = Words.left(task);
        if (!left.isEmpty()) {
            Page.note("Left running:\n" + String.join("\n", left) + "\nholdfast stop " + id
                    + " ends it. Without & it is a task by itself.");
        }
        return Words.exit(task);
    }
}
