package dev.holdfast.host;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.Names;
import dev.holdfast.runtime.Launch;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A launch as JSON, without a value of its environment. Written under another name and renamed, so that a server that is
 * killed leaves a whole one or none; after a loss of power it may still be torn, which is said and not guessed around.
 */
final class SpecFile {
    /** Of the form; a reader refuses one it does not know. */
    private static final int FORMAT = 1;

    private static final JsonFactory JSON = new JsonFactory();
    private static final ObjectMapper READER = new ObjectMapper();

    private SpecFile() {}

    /** @param bootId of the boot it was started in */
    record Spec(Launch launch, String bootId) {
        boolean isOfThisBoot() {
            return bootId.equals(BootId.current());
        }
    }

    /** It cannot be read; the message says why. */
    static final class DamagedException extends Exception {
        private static final long serialVersionUID = 1L;

        DamagedException(String problem) {
            super(problem, null, false, false);
        }

        String problem() {
            return String.valueOf(getMessage());
        }
    }

    /** @param spec as {@link #bytes} gives it */
    static void write(TaskFolder folder, byte[] spec) {
        Path unfinished = unfinished(folder);
        Descriptor.create(unfinished, spec, 0600);
        Names.rename(unfinished, folder.spec());
    }

    /** What it is called until it is whole. */
    static Path unfinished(TaskFolder folder) {
        return folder.path().resolve("spec.json.new");
    }

    static Spec read(Path file) throws DamagedException {
        try {
            byte[] bytes = Files.readAllBytes(file);
            if (bytes.length == 0) {
                throw new DamagedException("spec.json is empty");
            }
            JsonNode root = READER.readTree(bytes);
            int format = root.path("format").asInt();
            if (format != FORMAT) {
                throw new DamagedException("spec.json has format " + format + ", known is " + FORMAT);
            }
            return new Spec(launch(root), text(root, "boot_id"));
        } catch (NoSuchFileException e) {
            throw new DamagedException("spec.json is missing");
        } catch (JsonProcessingException e) {
            throw new DamagedException("spec.json is torn: " + e.getOriginalMessage());
        } catch (IOException | RuntimeException e) {
            throw new DamagedException("spec.json cannot be read: " + e.getMessage());
        }
    }

    static byte[] bytes(Launch launch, String bootId) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeNumberField("format", FORMAT);
            json.writeStringField("boot_id", bootId);
            json.writeStringField("task_id", launch.id().value());
            json.writeStringField("created_at", launch.createdAt().toString());
            json.writeStringField("duplicate_key", launch.duplicateKey());
            if (launch.idempotency() instanceof Launch.Idempotency(String key, String digest)) {
                json.writeStringField("idempotency_key", key);
                json.writeStringField("idempotency_body", digest);
            }
            write(json, launch.command());
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    private static void write(JsonGenerator json, CommandSpec command) throws IOException {
        switch (command.invocation()) {
            case Invocation.ShellText shell -> {
                json.writeStringField("cmd", shell.cmd());
                json.writeStringField("shell", shell.shell());
                json.writeBooleanField("login", shell.login());
            }
            case Invocation.Program program -> write(json, "argv", program.argv());
        }
        json.writeStringField("workdir", command.workdir().toString());
        if (command.terminal() instanceof TerminalSize(int rows, int cols)) {
            json.writeNumberField("rows", rows);
            json.writeNumberField("cols", cols);
        }
        json.writeBooleanField("accepts_input", command.acceptsInput());
        write(json, "env_keys", command.envKeys());
        write(json, "timeout_ms", command.timeout());
        write(json, "idle_timeout_ms", command.idleTimeout());
        json.writeStringField("on_exit", command.onExit().name().toLowerCase(Locale.ROOT));
        json.writeObjectFieldStart("labels");
        for (Map.Entry<String, String> label : command.labels().entrySet()) {
            json.writeStringField(label.getKey(), label.getValue());
        }
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, String field, @Nullable Duration duration) throws IOException {
        if (duration != null) {
            json.writeNumberField(field, duration.toMillis());
        }
    }

    /** Of most there is none, which is seen without parsing. Empty also when the file cannot be read. */
    static Optional<Launch.Idempotency> idempotency(Path file) {
        try {
            String text = Files.readString(file);
            return text.contains("\"idempotency_key\"")
                    ? Optional.ofNullable(read(file).launch().idempotency())
                    : Optional.empty();
        } catch (IOException | DamagedException e) {
            // Nothing can be repeated by a key that nobody can read.
            return Optional.empty();
        }
    }

    private static Launch launch(JsonNode root) throws DamagedException {
        Launch.Idempotency idempotency = root.has("idempotency_key")
                ? new Launch.Idempotency(text(root, "idempotency_key"), text(root, "idempotency_body"))
                : null;
        return new Launch(
                new TaskId(text(root, "task_id")),
                command(root),
                Map.of(),
                Instant.parse(text(root, "created_at")),
                text(root, "duplicate_key"),
                idempotency);
    }

    private static CommandSpec command(JsonNode root) throws DamagedException {
        Invocation invocation = root.has("argv")
                ? new Invocation.Program(texts(root, "argv"))
                : new Invocation.ShellText(
                        text(root, "cmd"),
                        text(root, "shell"),
                        root.path("login").asBoolean());
        TerminalSize terminal = root.has("rows")
                ? new TerminalSize(root.path("rows").asInt(), root.path("cols").asInt())
                : null;
        Map<String, String> labels = new TreeMap<>();
        root.path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return new CommandSpec(
                invocation,
                Path.of(text(root, "workdir")),
                terminal,
                root.path("accepts_input").asBoolean(),
                texts(root, "env_keys"),
                duration(root, "timeout_ms"),
                duration(root, "idle_timeout_ms"),
                OnExit.valueOf(text(root, "on_exit").toUpperCase(Locale.ROOT)),
                labels);
    }

    private static @Nullable Duration duration(JsonNode root, String field) {
        return root.has(field) ? Duration.ofMillis(root.path(field).asLong()) : null;
    }

    private static List<String> texts(JsonNode root, String field) {
        List<String> texts = new ArrayList<>();
        root.path(field).forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static String text(JsonNode root, String field) throws DamagedException {
        JsonNode value = root.path(field);
        if (!value.isTextual()) {
            throw new DamagedException("spec.json has no " + field);
        }
        return value.textValue();
    }
}
