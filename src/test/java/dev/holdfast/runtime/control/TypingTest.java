package dev.holdfast.runtime.control;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.FakeJournal;
import dev.holdfast.runtime.Steps;
import dev.holdfast.runtime.port.HostedCommand.TerminalLink;
import dev.holdfast.runtime.port.Journal.Line;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;
import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keys that come one by one, as a terminal's session passes them on. */
class TypingTest {
    private final Steps steps = new Steps();
    private final FakeJournal journal = new FakeJournal(steps);
    private final ByteArrayOutputStream reached = new ByteArrayOutputStream();
    private boolean waits;
    private boolean eachCounts;
    private final Typing typing = new Typing(
            new TerminalLink() {
                @Override
                public void write(byte[] bytes) {
                    reached.writeBytes(bytes);
                }

                @Override
                public void leave() {}

                @Override
                public boolean offer(byte[] bytes) {
                    if (!waits) {
                        write(bytes);
                    }
                    return !waits;
                }

                @Override
                public OutputStore.@Nullable Slice screen() {
                    return null;
                }

                @Override
                public void close() {}
            },
            new TaskId("task_01M84MWFG88P42DQEJS1BH417F"),
            new Audit(journal, () -> Actor.OPERATOR),
            bytes -> {},
            () -> eachCounts);

    private void type(String keys) {
        byte[] bytes = keys.getBytes(US_ASCII);
        if (!typing.offer(bytes)) {
            typing.write(bytes);
        }
    }

    private List<String> told() {
        return journal.lines.stream()
                .map(line -> line.bytes() == null ? String.valueOf(line.detail()) : line.bytes() + " " + line.sha256())
                .toList();
    }

    private static String hashed(String keys) throws Exception {
        return keys.length() + " "
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(keys.getBytes(US_ASCII)));
    }

    /** A shell runs the line at it, so it is judged before it is passed on. */
    @Test
    void ctrlOEndsALine() throws Exception {
        type("s");
        assertThat(typing.offer("\17".getBytes(US_ASCII))).isFalse();
        type("\17");

        assertThat(told()).containsExactly("typing", hashed("s\17"));
    }

    /** It is shown to the guard before it is written then, and may be refused. */
    @Test
    void noKeyIsWrittenUnseenWhereEachCounts() {
        type("s");
        assertThat(typing.offer("e".getBytes(US_ASCII))).isTrue();
        eachCounts = true;
        assertThat(typing.offer("c".getBytes(US_ASCII))).isFalse();
    }

    @Test
    void aLineIsToldWhenItBeginsAndBeforeItIsSent() throws Exception {
        type("s");
        assertThat(told()).containsExactly("typing");
        type("e");
        waits = true;
        type("c");
        waits = false;
        type("ret");
        steps.fail("journal");
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> type("\r"));
        assertThat(reached.toString(US_ASCII)).isEqualTo("secret");
        type("\r");
        type("whole\r");
        type("\3");
        type("rest");
        typing.close();

        assertThat(told())
                .containsExactly(
                        "typing", hashed("secret\r"), hashed("whole\r"), hashed("\3"), "typing", hashed("rest"));
        assertThat(reached.toString(US_ASCII)).isEqualTo("secret\rwhole\r\3rest");
        assertThat(journal.lines).extracting(Line::actor).containsOnly("operator");
    }

    @Test
    void noKeyGoesOnWhereNothingCanBeTold() {
        steps.fail("journal");
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> type("y"));
        typing.close();

        assertThat(reached.size()).isZero();
        assertThat(told()).isEmpty();
    }

    @Test
    void muchWithoutAnEndIsToldInParts() throws Exception {
        for (int i = 0; i < 5000; i++) {
            type("k");
        }
        assertThat(told()).containsExactly("typing", hashed("k".repeat(4096)), "typing");
    }
}
