package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.audit.FileJournal;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditResourceTest {
    @TempDir
    Path data;

    /** Before anything of the request is looked at. */
    @Test
    @SuppressWarnings("NullAway")
    void isNotForAgents() {
        var journal = new FileJournal(RuntimeFixture.config(data), InstantSource.system());
        var agent = new Actor("bot", Role.AGENT, Map.of(), Mode.OPEN, null);

        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> new AuditResource(journal, () -> agent).readAudit(null))
                .satisfies(refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.FORBIDDEN));
    }
}
