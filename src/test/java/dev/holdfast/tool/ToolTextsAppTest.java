package dev.holdfast.tool;

import static dev.holdfast.acceptance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What models read: a golden file for each tool and outcome. What differs from run to run is in angle brackets. */
@QuarkusTest
class ToolTextsAppTest {
    private static final Path GOLDEN = Path.of("src/test/resources/tools");

    @Inject
    ToolBench bench;

    @BeforeEach
    @AfterEach
    void stopAll() {
        bench.stopAll();
    }

    private static Arguments row(
            String profile, String tool, String outcome, Function<ToolBench, Map<String, ?>> input) {
        return Arguments.of(profile, tool, outcome, input);
    }

    static Stream<Arguments> ours() {
        String p = "holdfast";
        return Stream.of(
                row(p, "ExecCommand", "success", b -> object("cmd", "echo out; echo bad >&2; exit 3")),
                row(
                        p,
                        "ExecCommand",
                        "promoted",
                        b -> object("cmd", "echo on; exec sleep 300", "yield_when", Map.of("output_matches", "on"))),
                row(
                        p,
                        "ExecCommand",
                        "not-true",
                        b -> object(
                                "cmd", "exec sleep 314", "yield_when", Map.of("port_open", 1), "yield_time_ms", 300)),
                row(
                        p,
                        "ExecCommand",
                        "time-out",
                        b -> object("cmd", "echo some; sleep 301", "login", false, "timeout_ms", 1000)),
                row(p, "ExecCommand", "left-running", b -> object("cmd", b.leaving("echo x"))),
                row(p, "ExecCommand", "port-taken", b -> object("cmd", b.failsForAPort())),
                row(p, "ExecCommand", "already-running", b -> {
                    b.running("sleep 302");
                    return object("cmd", "sleep 302");
                }),
                row(p, "ExecCommand", "error", b -> object("command", "ls")),
                row(p, "ExecCommand", "error-type", b -> object("cmd", "ls", "yield_time_ms", "soon")),
                row(
                        p,
                        "ExecCommandBatch",
                        "success",
                        b -> object("items", List.of(Map.of("cmd", "echo a"), Map.of("cmd", "exit 2")))),
                row(
                        p,
                        "ExecCommandBatch",
                        "time-out",
                        b -> object(
                                "items",
                                List.of(Map.of("cmd", "echo a; sleep 303", "login", false, "yield_time_ms", 1000)))),
                row(p, "ExecCommandBatch", "error", b -> object("items", List.of())),
                row(p, "TaskList", "success", b -> {
                    b.task("sleep 304");
                    return object();
                }),
                row(p, "TaskList", "more", b -> {
                    b.task("sleep 304");
                    b.task("sleep 305");
                    return object("limit", 1);
                }),
                row(p, "TaskList", "none", b -> object("q", "nothing like it")),
                row(p, "TaskList", "error", b -> object("status", "gone")),
                row(p, "TaskStatus", "success", b -> object("task_id", b.task("sleep 306"))),
                row(p, "TaskStatus", "ended", b -> object("task_id", b.ended("echo x; exit 3"))),
                row(p, "TaskStatus", "port-taken", b -> object("task_id", b.ended(b.failsForAPort()))),
                row(p, "TaskStatus", "left-running", b -> object("task_id", b.ended(b.leaving("echo x")))),
                row(p, "TaskStatus", "interrupted", b -> object("task_id", b.interrupted())),
                row(p, "TaskStatus", "forgotten", b -> object("task_id", b.forgotten())),
                row(p, "TaskStatus", "error", b -> {
                    b.task("sleep 307");
                    return object("task_id", "task_01JABCDEFGHJKMNPQRSTVWXYZ0");
                }),
                row(p, "TaskOutput", "success", b -> object("task_id", b.ended("echo x; exit 3"))),
                row(p, "TaskOutput", "killed", b -> object("task_id", b.ended("kill -9 $$"))),
                row(
                        p,
                        "TaskOutput",
                        "time-out",
                        b -> object("task_id", b.printing("echo on; exec sleep 308", "on"), "timeout_ms", 10)),
                row(p, "TaskOutput", "not-ready", b -> object("task_id", b.task("sleep 309"), "block", false)),
                row(
                        p,
                        "TaskOutput",
                        "new-output",
                        b -> object("task_id", b.printing("echo on; exec sleep 310", "on"), "until", "new_output")),
                row(
                        p,
                        "TaskOutput",
                        "cut",
                        b -> object("task_id", b.ended("seq 9"), "cursor", "0.0", "max_output_tokens", 1)),
                row(p, "TaskOutput", "search", b -> object("task_id", b.ended("seq 9"), "pattern", "5|8")),
                row(p, "TaskOutput", "port-taken", b -> object("task_id", b.ended(b.failsForAPort()))),
                row(p, "TaskOutput", "left-running", b -> object("task_id", b.ended(b.leaving("echo x")))),
                row(p, "TaskOutput", "interrupted", b -> object("task_id", b.interrupted())),
                row(p, "TaskOutput", "in-window", b -> object("task_id", b.inItsWindow())),
                row(p, "TaskOutput", "error", b -> object("task_id", "no-id")),
                row(
                        p,
                        "TaskInput",
                        "success",
                        b -> object("task_id", b.task("read x; echo got $x", true), "input", "a\n", "wait_ms", 20_000)),
                row(
                        p,
                        "TaskInput",
                        "goes-on",
                        b -> object("task_id", b.task("read x; sleep 311", true), "input", "a\n", "wait_ms", 0)),
                row(
                        p,
                        "TaskInput",
                        "not-accepted",
                        b -> object("task_id", b.task("sleep 312"), "input", "a", "wait_ms", 0)),
                row(
                        p,
                        "TaskInput",
                        "no-terminal",
                        b -> object("task_id", b.task("read x", true), "keys", List.of("enter"))),
                row(p, "TaskInput", "interrupted", b -> object("task_id", b.interrupted(), "input", "a")),
                row(p, "TaskInput", "error", b -> object("task_id", b.ended("true"), "input", "a")),
                row(p, "TaskStop", "success", b -> object("task_id", b.task("sleep 313"), "force", true)),
                row(p, "TaskStop", "ended", b -> object("task_id", b.ended("true"))),
                row(p, "TaskStop", "interrupted", b -> object("task_id", b.interrupted())),
                row(p, "TaskStop", "error", b -> object()),
                row(p, "TaskScreen", "error", b -> object("task_id", b.task("sleep 314"))),
                row(p, "TaskScreen", "interrupted", b -> object("task_id", b.interrupted())),
                row(p, "Wait", "success", b -> b.wait("output_matches", "pattern", "on")),
                row(p, "Wait", "time-out", b -> b.wait("output_matches", "pattern", "off")),
                row(
                        p,
                        "Wait",
                        "rest",
                        b -> object(
                                "all",
                                List.of(
                                        object("task_id", b.ended("true"), "until", "end"),
                                        object("task_id", b.task("sleep 315"), "until", "end")),
                                "timeout_ms",
                                100)),
                row(
                        p,
                        "Wait",
                        "left-running",
                        b -> object("all", List.of(object("task_id", b.ended(b.leaving("echo x")), "until", "end")))),
                row(
                        p,
                        "Wait",
                        "interrupted",
                        b -> object("all", List.of(object("task_id", b.interrupted(), "until", "end")))),
                row(p, "Wait", "error", b -> object("any", List.of(Map.of("task_id", "no-id", "until", "end")))));
    }

    static Stream<Arguments> classic() {
        String p = "classic";
        return Stream.of(
                row(p, "bash", "success", b -> object("command", "echo out; echo bad >&2; exit 3")),
                row(p, "bash", "time-out", b -> object("command", "sleep 320", "timeout", 0.5)),
                row(p, "bash", "error", b -> object("command", " ")),
                row(p, "shell.exec", "success", b -> object("executable", "echo", "argv", List.of("a b"))),
                row(p, "shell.exec", "failed", b -> object("executable", "false")),
                row(
                        p,
                        "shell.exec",
                        "time-out",
                        b -> object("executable", "sleep", "argv", List.of("321"), "timeout_ms", 500)),
                row(p, "shell.exec", "error", b -> object("executable", "no-such-program")));
    }

    static Stream<Arguments> codex() {
        String p = "codex";
        return Stream.of(
                row(p, "exec_command", "success", b -> object("cmd", "echo out; exit 3", "login", false)),
                row(
                        p,
                        "exec_command",
                        "time-out",
                        b -> object("cmd", "exec sleep 330", "yield_time_ms", 250, "login", false)),
                row(p, "exec_command", "left-running", b -> object("cmd", b.leaving("echo x"), "login", false)),
                row(p, "exec_command", "port-taken", b -> object("cmd", b.failsForAPort(), "login", false)),
                row(p, "exec_command", "error", b -> object("command", "ls")),
                row(p, "write_stdin", "success", b -> object("session_id", b.number(b.ended("echo x; exit 3")))),
                row(p, "write_stdin", "port-taken", b -> object("session_id", b.number(b.ended(b.failsForAPort())))),
                row(
                        p,
                        "write_stdin",
                        "left-running",
                        b -> object("session_id", b.number(b.ended(b.leaving("echo x"))))),
                row(p, "write_stdin", "interrupted", b -> object("session_id", b.number(b.interrupted()))),
                row(p, "write_stdin", "forgotten", b -> object("session_id", b.number(b.forgotten()))),
                row(p, "write_stdin", "error", b -> object("session_id", 12_345)));
    }

    static Stream<Arguments> claude() {
        String p = "claude";
        return Stream.of(
                row(p, "Bash", "success", b -> object("command", "echo out; echo bad >&2")),
                row(p, "Bash", "failed", b -> object("command", "echo out; echo bad >&2; exit 3")),
                row(p, "Bash", "time-out", b -> object("command", "exec sleep 340", "timeout", 1000)),
                row(p, "Bash", "background", b -> object("command", "exec sleep 341", "run_in_background", true)),
                row(p, "Bash", "left-running", b -> object("command", b.leaving("echo x"))),
                row(p, "Bash", "port-taken", b -> object("command", b.failsForAPort())),
                row(p, "Bash", "error", b -> object("cmd", "ls")),
                row(p, "TaskOutput", "success", b -> object("task_id", b.ended("echo x; exit 3"))),
                row(p, "TaskOutput", "time-out", b -> object("task_id", b.task("sleep 342"), "timeout", 10)),
                row(p, "TaskOutput", "not-ready", b -> object("task_id", b.task("sleep 343"), "block", false)),
                row(p, "TaskOutput", "port-taken", b -> object("task_id", b.ended(b.failsForAPort()))),
                row(p, "TaskOutput", "left-running", b -> object("task_id", b.ended(b.leaving("echo x")))),
                row(p, "TaskOutput", "interrupted", b -> object("task_id", b.interrupted())),
                row(p, "TaskOutput", "in-window", b -> object("task_id", b.inItsWindow())),
                row(p, "TaskOutput", "error", b -> object("task_id", "b12345x")),
                row(p, "TaskStop", "success", b -> object("task_id", b.task("sleep 344"))),
                row(p, "TaskStop", "interrupted", b -> object("task_id", b.interrupted())));
    }

    static Stream<Arguments> gemini() {
        String p = "gemini";
        return Stream.of(
                row(p, "run_shell_command", "success", b -> object("command", "echo out; echo bad >&2")),
                row(p, "run_shell_command", "failed", b -> object("command", "exit 3")),
                row(
                        p,
                        "run_shell_command",
                        "background",
                        b -> object("command", "exec sleep 350", "is_background", true, "delay_ms", 0)),
                row(p, "run_shell_command", "left-running", b -> object("command", b.leaving("echo x"))),
                row(p, "run_shell_command", "port-taken", b -> object("command", b.failsForAPort())),
                row(p, "run_shell_command", "error", b -> object("cmd", "ls")),
                row(p, "list_background_processes", "success", b -> {
                    b.task("exec sleep 351");
                    return object();
                }),
                row(p, "list_background_processes", "left-running", b -> {
                    b.ended(b.onceOnRecord(b.leaving("echo x")));
                    return object();
                }),
                row(
                        p,
                        "read_background_output",
                        "left-running",
                        b -> object("pid", b.pid(b.ended(b.onceOnRecord(b.leaving("echo x")))))),
                row(
                        p,
                        "read_background_output",
                        "success",
                        b -> object("pid", b.pid(b.ended(b.onceOnRecord("seq 9"))), "lines", 2)),
                row(
                        p,
                        "read_background_output",
                        "port-taken",
                        b -> object("pid", b.pid(b.ended(b.onceOnRecord(b.failsForAPort()))))),
                row(p, "read_background_output", "interrupted", b -> object("pid", b.pid(b.interrupted()))),
                row(p, "read_background_output", "error", b -> object("pid", 4_194_304)));
    }

    /** With GOLDEN=write in the environment the files are written anew, to be looked at before they are kept. */
    @ParameterizedTest(name = "{0} {1} {2}")
    @MethodSource({"ours", "classic", "codex", "claude", "gemini"})
    void eachOutcomeIsToldAsItsGoldenFile(
            String profile, String tool, String outcome, Function<ToolBench, Map<String, ?>> input) throws IOException {
        String text = bench.plain(bench.text(profile, tool, input.apply(bench))) + "\n";

        Path golden = GOLDEN.resolve(profile).resolve(tool + "." + outcome + ".txt");
        if ("write".equals(System.getenv("GOLDEN"))) {
            Files.createDirectories(golden.getParent());
            Files.writeString(golden, text);
        }
        assertThat(text).isEqualTo(Files.readString(golden));
        assertThat(text).as("a model has no way to a path of REST").doesNotContain("/v1/");
    }

    @Test
    void nothingIsLeftThatNobodyReads() throws IOException {
        try (Stream<Path> files = Files.walk(GOLDEN)) {
            assertThat(files.filter(file -> file.toString().endsWith(".txt")))
                    .containsExactlyInAnyOrderElementsOf(Stream.of(ours(), classic(), codex(), claude(), gemini())
                            .flatMap(rows -> rows)
                            .map(Arguments::get)
                            .map(row -> GOLDEN.resolve(row[0].toString()).resolve(row[1] + "." + row[2] + ".txt"))
                            .toList());
        }
    }

    @Test
    void aCommandThatRunsIsTold() {
        Tool<?> bash = bench.tool("classic", "bash");

        assertThat(bash.activity(5)).isEqualTo("Running command...");
        assertThat(bench.tool("holdfast", "Wait").activity(5)).isEqualTo("waiting for 5 s");
    }
}
