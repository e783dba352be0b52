package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.terminal.Failure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteTest {
    /** One id in 32 ends in Z, and is the highest that begins with all of it but that. */
    @ParameterizedTest
    @CsvSource({
        "01M8FRH0HK0P13XM3M2ZAAVBM, 01M8FRH0HK0P13XM3M2ZAAVBN0",
        "01M8FRH0HK0P13XM3M2ZAAVHZ, 01M8FRH0HK0P13XM3M2ZAAVJ00",
        "0, 10000000000000000000000000",
        "0ZZ, 10000000000000000000000000",
        "7, 7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "7ZZ, 7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "'', 7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
    })
    void aListBeginsAboveAllThatBeginSo(String beginning, String above) {
        assertThat(Remote.above("task_" + beginning)).isEqualTo("task_" + above);
    }

    /** As a script has it whose variable is not set. */
    @ParameterizedTest
    @ValueSource(strings = {"", "task_", "TASK_", "task", "t"})
    void whatEveryIdBeginsWithIsNoId(String beginning) {
        assertThatThrownBy(() -> new TaskCommands.Status().id(beginning))
                .hasMessage("'" + beginning + "' begins every task's id")
                .isInstanceOfSatisfying(Failure.class, failure -> {
                    assertThat(failure.code()).isEqualTo(2);
                    assertThat(failure.remedy()).contains("give more of it: holdfast ps -a lists them");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "approval_", "app"})
    void nothingIsAllowedByWhatEveryApprovalBeginsWith(String beginning) {
        var approve = new PolicyCommands.Approve();
        approve.beginning = beginning;
        assertThatThrownBy(approve::run)
                .isInstanceOf(Failure.class)
                .hasMessage("'" + beginning + "' begins every approval's id");
    }
}
