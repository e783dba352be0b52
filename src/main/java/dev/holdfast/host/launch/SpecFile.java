package dev.holdfast.host.launch;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.host.proc.BootId;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.Names;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A launch as JSON, without a value of its environment. Written under another name and renamed, so that a server that
 * is killed leaves a whole one or none; after a loss of power it may still be torn, which is said and not guessed
 * around.
 */
public final class SpecFile {
    /** Of the form; a reader refuses one it does not know. */
    private static final int FORMAT = 1;

    /** In bytes, far beyond what the arguments of a command can be. */
    private static final int LONGEST = 16 * 1024 * 1024;

    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private SpecFile() {}

    /** @param bootId of the boot it was started in */
    public record Spec(Launch launch, String bootId) {
        public boolean isOfThisBoot() {
            return bootId.equals(BootId.current());
        }
    }

    /** It cannot be read; the message says why. */
    public static final class DamagedException extends Exception {
        DamagedException(String problem) {
            super(problem, null, false, false);
        }

        public String problem() {
            return String.valueOf(getMessage());
        }
    }

    /** @param spec as {@link #bytes} gives it */
    public static void write(TaskFolder folder, byte[] spec) {
        Path unfinished = unfinished(folder);
        Descriptor.create(unfinished, spec);
        Names.rename(unfinished, folder.spec());
    }

    /** What it is called until it is whole. */
    public static Path unfinished(TaskFolder folder) {
        return folder.path().resolve("spec.json.new");
    }

    /** @throws dev.holdfast.kernel.ErrnoException when there is no descriptor to read it by */
    public static Spec read(Path file) throws DamagedException {
        try {
            byte[] bytes = SmallFile.read(file, LONGEST);
            if (bytes.length == 0) {
                throw new DamagedException("spec.json is empty");
            }
            Form form = JSON.readValue(bytes, Form.class);
            if (form.format() != FORMAT) {
                throw new DamagedException("spec.json has format " + form.format() + ", known is " + FORMAT);
            }
            return new Spec(form.launch(), Form.needed("boot_id", form.bootId()));
        } catch (NoSuchFileException e) {
            throw new DamagedException("spec.json is missing");
        } catch (FileSystemException e) {
            Descriptor.requireGone(file, e);
            throw new DamagedException("spec.json cannot be read: " + e.getMessage());
        } catch (JsonProcessingException e) {
            throw new DamagedException("spec.json is torn: " + e.getOriginalMessage());
        } catch (IOException | RuntimeException e) {
            throw new DamagedException("spec.json cannot be read: " + e.getMessage());
        }
    }

    public static byte[] bytes(Launch launch, String bootId) {
        try {
            return JSON.writeValueAsBytes(Form.of(launch, bootId));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("memory cannot be written", e);
        }
    }

    /** Of most there is none, which is seen without parsing. Empty also when the file cannot be read. */
    public static Optional<Launch.Idempotency> idempotency(Path file) {
        try {
            String text = new String(SmallFile.read(file, LONGEST), StandardCharsets.UTF_8);
            return text.contains("\"idempotency_key\"")
                    ? Optional.ofNullable(read(file).launch().idempotency())
                    : Optional.empty();
        } catch (IOException | DamagedException e) {
            // Nothing can be repeated by a key that nobody can read.
            return Optional.empty();
        }
    }

    /**
     * What the file holds, in its order; what there is none of is left out. Fields of a later version are passed over.
     *
     * @param cmd with {@code shell} and {@code login}, or else {@code argv}
     * @param rows with {@code cols}, in a terminal
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Form(
            int format,
            @Nullable String bootId,
            @Nullable String taskId,
            @Nullable String createdAt,
            @Nullable String duplicateKey,
            @Nullable String idempotencyKey,
            @Nullable String idempotencyBody,
            @Nullable String cmd,
            @Nullable String shell,
            @Nullable Boolean login,
            @Nullable List<String> argv,
            @Nullable String workdir,
            @Nullable Integer rows,
            @Nullable Integer cols,
            boolean acceptsInput,
            @Nullable List<String> envKeys,
            @Nullable Long timeoutMs,
            @Nullable Long idleTimeoutMs,
            @Nullable String onExit,
            @Nullable Map<String, String> labels,
            @Nullable String sandbox,
            @Nullable String owner,
            @Nullable String startedBy,
            @Nullable Boolean endsWithCaller,
            @Nullable Long windowMs) {

        static Form of(Launch launch, String bootId) {
            CommandSpec command = launch.command();
            Launch.Idempotency idempotency = launch.idempotency();
            Invocation.ShellText text = command.invocation() instanceof Invocation.ShellText shell ? shell : null;
            Invocation.Program program = command.invocation() instanceof Invocation.Program argv ? argv : null;
            TerminalSize terminal = command.terminal();
            return new Form(
                    FORMAT,
                    bootId,
                    launch.id().value(),
                    launch.createdAt().toString(),
                    launch.duplicateKey(),
                    idempotency == null ? null : idempotency.key(),
                    idempotency == null ? null : idempotency.bodyDigest(),
                    text == null ? null : text.cmd(),
                    text == null ? null : text.shell(),
                    text == null ? null : text.login(),
                    program == null ? null : program.argv(),
                    command.workdir().toString(),
                    terminal == null ? null : terminal.rows(),
                    terminal == null ? null : terminal.cols(),
                    command.acceptsInput(),
                    command.envKeys(),
                    command.timeout() == null ? null : command.timeout().toMillis(),
                    command.idleTimeout() == null ? null : command.idleTimeout().toMillis(),
                    command.onExit().name().toLowerCase(Locale.ROOT),
                    command.labels(),
                    command.sandbox() == null ? null : command.sandbox().toString(),
                    command.owner(),
                    launch.startedBy(),
                    launch.endsWithCaller() ? true : null,
                    launch.window() == null ? null : launch.window().toMillis());
        }

        Launch launch() throws DamagedException {
            return new Launch(
                    new TaskId(needed("task_id", taskId)),
                    command(),
                    Map.of(),
                    Instant.parse(needed("created_at", createdAt)),
                    needed("duplicate_key", duplicateKey),
                    idempotencyKey == null
                            ? null
                            : new Launch.Idempotency(idempotencyKey, needed("idempotency_body", idempotencyBody)),
                    startedBy,
                    Boolean.TRUE.equals(endsWithCaller),
                    windowMs == null ? null : Duration.ofMillis(windowMs));
        }

        private CommandSpec command() throws DamagedException {
            Invocation invocation = argv != null
                    ? new Invocation.Program(argv)
                    : new Invocation.ShellText(needed("cmd", cmd), needed("shell", shell), Boolean.TRUE.equals(login));
            return new CommandSpec(
                    invocation,
                    Path.of(needed("workdir", workdir)),
                    rows == null || cols == null ? null : new TerminalSize(rows, cols),
                    acceptsInput,
                    envKeys == null ? List.of() : envKeys,
                    timeoutMs == null ? null : Duration.ofMillis(timeoutMs),
                    idleTimeoutMs == null ? null : Duration.ofMillis(idleTimeoutMs),
                    OnExit.valueOf(needed("on_exit", onExit).toUpperCase(Locale.ROOT)),
                    labels == null ? Map.of() : labels,
                    sandbox == null ? null : Sandbox.parse(sandbox),
                    owner);
        }

        private static String needed(String field, @Nullable String text) throws DamagedException {
            if (text == null) {
                throw new DamagedException("spec.json has no " + field);
            }
            return text;
        }
    }
}
