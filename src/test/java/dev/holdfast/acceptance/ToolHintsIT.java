package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a model is told to do, it can do with that very tool. */
class ToolHintsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            holdfast | TaskOutput | {"task_id":null} | Send that type; what is not needed is left out.
            holdfast | Wait | {"any":[{"task_id":"x","until":null}]} | Send that type; what is not needed is left out.
            holdfast | ExecCommandBatch | {"items":null} | Send that type; what is not needed is left out.
            holdfast | Wait | {"any":[{"task_id":"x","until":"never"}]} | Use one of these.
            holdfast | TaskOutput | {"task_id":"x","until":"never"} | Use one of these, or leave it out.
            holdfast | TaskInput | {"task_id":"x","input":"a\\u0000"} | Send plain Unicode text.
            holdfast | ExecCommand | {"cmd":"true","env":{"A":"\\ud800"}} | Send plain Unicode text.
            codex | write_stdin | {"session_id":1,"chars":"\\ud800"} | Send plain Unicode text.
            classic | bash | {"command":"true","timeout":-1} | Choose a number in these bounds.
            classic | shell.exec | {"executable":""} | Send the program's name or path.
            """)
    void aRemedyIsOfThatTool(String profile, String tool, String input, String hint) {
        Answer answer = SERVER.calls()
                .send("POST", "/v1/tools/" + tool + "?profile=" + profile, input)
                .hasStatus(200);

        assertThat(answer.text("/error/kind")).isEqualTo("invalid_tool_input");
        assertThat(answer.text("/error/recovery_hint")).isEqualTo(hint);
    }

    /** The start has a name of its own, for without a cursor head and tail are told. */
    @ParameterizedTest
    @CsvSource({"7", "x", "99999.0"})
    void aCursorThatIsNoneIsToldHowTheStartIsWritten(String cursor) {
        ToolCalls tools = new ToolCalls(SERVER.calls(), "holdfast");
        String id = SERVER.calls().start("echo started; exec sleep 4361");

        String told = tools.text("TaskOutput", "task_id", id, "cursor", cursor, "block", false);

        assertThat(told).contains("0.0");
        assertThat(tools.text("TaskOutput", "task_id", id, "cursor", "0.0", "until", "new_output"))
                .endsWith("\nstarted\n");
        tools.success("TaskStop", "task_id", id, "force", true);
    }

    @ParameterizedTest
    @CsvSource({"0", "-1"})
    void aTimeLimitOfBashIsMoreThanNothing(String seconds) {
        ToolCalls tools = new ToolCalls(SERVER.calls(), "classic");

        assertThat(tools.text("bash", "command", "true", "timeout", Integer.valueOf(seconds)))
                .contains("must be between 0.001 and ");
        assertThat(tools.text("bash", "command", "true", "timeout", 0.001)).isNotBlank();
    }
}
