package dev.holdfast.tool.classic;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.message.view.AnswerJson;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.shell.ShellText;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.tool.Ran;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How the designs of a tool named bash differ: what they take, how long they wait, what they say. */
sealed interface Dialects {
    static Dialects of(HoldfastConfig.Bash config) {
        return switch (config.dialect()) {
            case PLAIN -> new Plain();
            case LABELLED -> new Labelled(config.deny().orElse(List.of()), config.env());
            case SECTIONS -> new Sections();
        };
    }

    /** @throws Refusal {@code command_denied}, its {@code rule} in the details */
    default void check(String command) {}

    /** The variables that a command gets of the server's, besides PATH, HOME and PWD; empty: those of any command. */
    default Optional<List<String>> environment() {
        return Optional.empty();
    }

    /** Where a call names none. */
    default Duration timeout() {
        return Duration.ofMinutes(2);
    }

    default int maxOutputTokens() {
        return StartRequest.DEFAULT_MAX_OUTPUT_TOKENS;
    }

    String text(Ran ran);

    /** For programs; of a command that goes on there is no exit code yet. */
    default Map<String, ?> result(Ran ran) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("exit_code", ran.exitCode());
        result.put("stdout", ran.stdout());
        result.put("stderr", ran.stderr());
        CommandAnswer.LeftRunning left = ran.left();
        if (left != null) {
            result.put(
                    "left_running",
                    left.processes().stream().map(AnswerJson.Left::of).toList());
            result.put("task_id", left.task().value());
        }
        return result;
    }

    /** The result of one that did not come to its end. */
    default Map<String, ?> nothing(Ran ran) {
        return result(ran);
    }

    default String timedOut(Duration timeout) {
        return "command timed out after " + seconds(timeout) + "s";
    }

    /** {@code 5}, {@code 0.5}. */
    static String seconds(Duration timeout) {
        return BigDecimal.valueOf(timeout.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    /** What the model reads when a person was asked who denied, or did not answer. */
    default String unconfirmed(Refusal refusal) {
        return refusal.getMessage() + "\n" + refusal.recoveryHint();
    }

    /** An agent tutorial's. */
    record Plain() implements Dialects {
        @Override
        public String text(Ran ran) {
            StringBuilder text = new StringBuilder(ran.stdout());
            if (!ran.stderr().isEmpty()) {
                line(text).append("stderr: ").append(ran.stderr());
            }
            Integer code = ran.exitCode();
            if (code != null && code != 0) {
                line(text).append("exit code: ").append(code);
            }
            Receipts.kept(ran.artifacts())
                    .ifPresent(files -> line(text).append("full output: ").append(files));
            return text.isEmpty() ? "(no output)" : text.toString();
        }

        private static StringBuilder line(StringBuilder text) {
            return text.isEmpty() || text.charAt(text.length() - 1) == '\n' ? text : text.append('\n');
        }
    }

    /** An agent library's. */
    record Labelled(List<String> deny, Optional<List<String>> environment) implements Dialects {
        private static final int MOST_BYTES = 256 * 1024;
        private static final String TRUNCATED = "... (output truncated)";

        @Override
        public void check(String command) {
            deny.stream().filter(command::contains).findFirst().ifPresent(denied -> {
                throw new Refusal(
                        ErrorKind.COMMAND_DENIED,
                        "Command blocked by safety policy: contains '" + denied + "'",
                        "Find a way that does without it.",
                        Map.of("rule", denied));
            });
        }

        @Override
        public String unconfirmed(Refusal refusal) {
            return "Command was not confirmed by the user.";
        }

        /**
         * So much that the head of each stream has all that is let through of it: it gets a quarter, and ends where a
         * line does within the last quarter of that.
         */
        @Override
        public int maxOutputTokens() {
            return 6 * MOST_BYTES / Diagnostics.CHARS_PER_TOKEN;
        }

        @Override
        public String text(Ran ran) {
            List<String> lines = new ArrayList<>();
            if (ran.exitCode() != null) {
                lines.add("Exit code: " + ran.exitCode());
            }
            if (!ran.stderr().isEmpty()) {
                lines.addAll(List.of("STDOUT:", shown(ran.stdout()), "STDERR:", shown(ran.stderr())));
            } else if (!ran.stdout().isEmpty()) {
                lines.add(shown(ran.stdout()));
            }
            return String.join("\n", lines);
        }

        private static String shown(String stream) {
            return cut(stream.endsWith("\n") ? stream.substring(0, stream.length() - 1) : stream);
        }

        /** At a character. */
        static String cut(String stream) {
            byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
            if (bytes.length <= MOST_BYTES) {
                return stream;
            }
            int end = MOST_BYTES;
            while ((bytes[end] & 0xC0) == 0x80) {
                end--;
            }
            return new String(bytes, 0, end, StandardCharsets.UTF_8) + "\n" + TRUNCATED;
        }

        @Override
        public Map<String, ?> result(Ran ran) {
            Integer code = ran.exitCode();
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("exit_code", code);
            result.put("success", code == null ? null : code == 0);
            return result;
        }
    }

    /** A gateway's. */
    record Sections() implements Dialects {
        private static final String SUDO = "sudo";

        /** Wherever a shell would run it, by whatever path, itself or for another program. */
        @Override
        public void check(String command) {
            if (ShellText.read(command, Map.of()).commands().stream()
                    .anyMatch(run ->
                            run.isBehind(SUDO) || run.words().getFirst().name().equals(SUDO))) {
                throw new Refusal(
                        ErrorKind.COMMAND_DENIED,
                        "Command not allowed: no sudo",
                        "Run it as the user that you are.",
                        Map.of("rule", "no sudo"));
            }
        }

        @Override
        public Duration timeout() {
            return Duration.ofSeconds(5);
        }

        @Override
        public String text(Ran ran) {
            List<String> parts = new ArrayList<>();
            section(parts, "stdout:", ran.stdout());
            section(parts, "stderr:", ran.stderr());
            if (ran.exitCode() != null) {
                parts.add("exit code: " + ran.exitCode());
            }
            return String.join("\n", parts);
        }

        private static void section(List<String> parts, String name, String stream) {
            if (!stream.isEmpty()) {
                parts.add(name);
                parts.add(stream.endsWith("\n") ? stream.substring(0, stream.length() - 1) : stream);
            }
        }

        @Override
        public Map<String, ?> result(Ran ran) {
            return result(ran.exitCode(), ran.stdout(), ran.stderr());
        }

        @Override
        public Map<String, ?> nothing(Ran ran) {
            return result(-1, "", "");
        }

        private static Map<String, ?> result(@Nullable Integer exitCode, String stdout, String stderr) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("exitCode", exitCode);
            result.put("stdout", stdout);
            result.put("stderr", stderr);
            return result;
        }

        @Override
        public String timedOut(Duration timeout) {
            return "Command timed out after " + seconds(timeout) + " seconds";
        }
    }
}
