package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A model is told tools where callers of REST are told paths. */
class ToolWordsTest {
    private static final Pattern CALL = Pattern.compile("(GET|POST|PUT|DELETE) /v1/[\\w/{}?=]+");

    private static Refusal refusal(String hint) {
        return new Refusal(ErrorKind.TASK_NOT_FOUND, "There is none.", hint, Map.of("task_id", "x"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "List tasks with GET /v1/tasks?status=all; ended | List tasks with TaskList (status=all); ended",
                "stop one (GET /v1/tasks lists them) | stop one (TaskList lists them)",
                "again with POST /v1/commands; its | again with ExecCommand; its",
                "with POST /v1/tasks/{id}/stop; when | with TaskStop; when",
                "with POST /v1/tasks/task_01JABCDEFGHJKMNPQRSTVWXYZ0/stop. | with TaskStop.",
                "tasks (DELETE /v1/tasks/{id}), or | tasks (`holdfast rm`), or",
                "answered: GET /v1/approvals?state=pending. | answered: `holdfast approvals`."
            })
    void aCallIsItsTool(String told, String model) {
        Refusal words = ToolWords.of(Profile.HOLDFAST, refusal(told));

        assertThat(words.recoveryHint()).isEqualTo(model);
        assertThat(words.details()).containsOnlyKeys("task_id");
    }

    /** Each call that a refusal of the use cases may name; what REST alone refuses is not for tools. */
    @ParameterizedTest
    @EnumSource
    void nothingThatIsToldNamesAPath(Profile profile) throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java/dev/holdfast/runtime"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                Matcher call = CALL.matcher(Files.readString(source).replace("\" + id + \"", "{id}"));
                while (call.find()) {
                    assertThat(ToolWords.of(profile, refusal(call.group())).recoveryHint())
                            .as(source.toString())
                            .doesNotContain("/v1/");
                }
            }
        }
    }

    @Test
    void whatNamesNoPathStaysAsItIs() {
        Refusal other = refusal("Give more of it.");
        assertThat(ToolWords.of(Profile.HOLDFAST, other)).isSameAs(other);
    }
}
