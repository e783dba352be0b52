package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Acting;
import dev.holdfast.task.TaskId;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
class WrittenIdsAppTest {
    private static final String BEGINNING = "01JABCDEFGHJKMNPQRSTVWXZZ";

    @Inject
    ToolBench bench;

    @Inject
    WrittenIds written;

    private TaskId of(String text) {
        return Acting.as(Actor.OPERATOR, () -> written.of(text));
    }

    /** One of 32 ids ends so. */
    @Test
    void theBeginningOfTheLastIdThatHasItIsOne() {
        TaskId last = new TaskId("task_" + BEGINNING + "Z");
        bench.interrupted(last);

        assertThat(of(BEGINNING)).isEqualTo(last);
        assertThat(of(BEGINNING.substring(0, 23))).isEqualTo(last);

        bench.interrupted(new TaskId("task_" + BEGINNING + "0"));
        assertThatThrownBy(() -> of(BEGINNING)).hasMessageContaining("several ids");
    }

    /** What every id begins with names none, not the only one that was forgotten. */
    @Test
    void whatEveryIdBeginsWithIsNone() {
        bench.forgotten();

        for (String none : new String[] {"task_", "TASK_", " "}) {
            assertThatThrownBy(() -> of(none)).hasMessage("`task_id` is missing");
        }
    }
}
