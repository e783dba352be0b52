package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What models were told to name a command by, after a server was killed and another took its place. */
class ToolIdsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void idsOfEachProfileOutliveTheServer() throws Exception {
        ToolCalls codex = new ToolCalls(http, "codex");
        ToolCalls claude = new ToolCalls(http, "claude");
        ToolCalls gemini = new ToolCalls(http, "gemini");
        ToolCalls classic = new ToolCalls(http, "classic");
        long session = codex.success("exec_command", "cmd", "echo a; sleep 4361", "login", false, "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();
        String id = claude.success("Bash", "command", "echo b; sleep 4362", "run_in_background", true)
                .at("/result/background_task_id")
                .asText();
        long pid = gemini.success("run_shell_command", "command", "echo c; exec sleep 4363", "is_background", true)
                .at("/result/pid")
                .asLong();
        long ended = gemini.success(
                        "run_shell_command", "command", "sleep 0.5; echo d", "is_background", true, "delay_ms", 0)
                .at("/result/pid")
                .asLong();
        gemini.success("read_background_output", "pid", ended, "delay_ms", 20_000);
        classic.success("bash", "command", "cd /usr", "session", "s");

        SERVER.kill();
        SERVER.start();

        assertThat(codex.text("write_stdin", "session_id", session, "chars", "\u0003", "yield_time_ms", 30_000))
                .contains("Process exited with code")
                .endsWith("Output:\na\n");
        assertThat(codex.text("write_stdin", "session_id", session)).contains("Process exited with code");
        assertThat(claude.text("TaskOutput", "task_id", id, "block", false)).contains("<output>\nb\n</output>");
        assertThat(gemini.text("read_background_output", "pid", pid)).isEqualTo("Full Log Output:\nc");
        assertThat(gemini.text("read_background_output", "pid", ended)).isEqualTo("Full Log Output:\nd");
        assertThat(gemini.text("list_background_processes"))
                .contains("- [PID " + pid + "] RUNNING: `echo c; exec sleep 4363`")
                .contains("- [PID " + ended + "] EXITED: `sleep 0.5; echo d` (Exit Code: 0)");
        assertThat(classic.text("bash", "command", "pwd", "session", "s")).isEqualTo("/usr\n");
    }
}
