package dev.holdfast.runtime.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.Decision;
import dev.holdfast.policy.Verdict;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked is kept as servers of any version write and read it. */
class ApprovalFilesTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");
    private static final Approval.Decided ANSWER = new Approval.Decided("operator", NOW.plusSeconds(9), "go on");

    private static final String PENDING = """
            {"id":"approval_1","state":"PENDING",
            "actor":{"name":"bot","role":"AGENT","labels":{"a":"b"},"mode":"OPEN","sandbox":null},
            "request":{"what":{"cmd":"git push","shell":null,"login":true},"workdir":null,"terminal":null,
            "accepts_input":false,"duplicate_policy":"REUSE_RUNNING","yield_time":0.0,
            "yield_when":{"output_matches":null,"port_open":null,"idle":null,"needs_input":false},
            "max_output_tokens":8000,"env":{},"timeout":null,"idle_timeout":null,"on_exit":"LEAVE",
            "labels":{},"wall":{"choice":null,"network":null},"ends_with_caller":false,"plain":false},
            "key":{"key":"approval_1","body_digest":"0123"},"workdir":"/work",
            "sandbox":{"files":"READ_ONLY","network":true},"digest":"0123","words":["git","push"],
            "deciding":[["git","push"]],"classes":["NETWORK"],"rule":"pushes","reason":"It leaves.",
            "suggested":"git push *","requested_at":1767323045.678000000,"expires_at":1767323345.678000000,
            "ends_with_caller":true,"values_lost":true,
            "decided":null,"started":false,"task_id":null,"start_error":null}""".replace("\n", "");

    private static final String DECIDED =
            "\"decided\":{\"by\":\"operator\",\"at\":1767323054.678000000," + "\"reason\":\"go on\"},\"started\":";

    @TempDir
    Path folder;

    private static Approval approval() {
        Actor actor = new Actor("bot", Role.AGENT, Map.of("a", "b"), Mode.OPEN, null);
        List<String> words = List.of("git", "push");
        Set<CommandClass> classes = Set.of(CommandClass.NETWORK);
        Verdict verdict = new Verdict(
                Decision.ASK,
                "pushes",
                "It leaves.",
                words,
                classes,
                Mode.OPEN,
                List.of(new Verdict.Command(words, classes, Decision.ASK, "pushes")),
                null);
        CommandSpec command = new CommandSpec(
                new Invocation.ShellText("git push", "/bin/bash", true),
                Path.of("/work"),
                null,
                false,
                List.of("TOKEN"),
                null,
                null,
                OnExit.LEAVE,
                Map.of(),
                new Sandbox(Sandbox.Files.READ_ONLY, true),
                "bot");
        StartRequest request = new StartRequest(
                new StartRequest.What.ShellText("git push", null, true),
                null,
                null,
                false,
                StartRequest.DuplicatePolicy.REUSE_RUNNING,
                Duration.ofSeconds(3),
                StartRequest.YieldWhen.NONE,
                8000,
                Map.of("TOKEN", "secret"),
                null,
                null,
                OnExit.LEAVE,
                Map.of(),
                StartRequest.Wall.DEFAULT,
                false,
                false);
        Asking asking = new Asking(request, actor, null, command, "0123", verdict, "git push *");
        return Approval.of("approval_1", asking, NOW, Duration.ofMinutes(5), true);
    }

    private String kept(Approval approval) throws IOException {
        new ApprovalFiles(folder).keep(approval);
        return Files.readString(folder.resolve(approval.id() + ".json"));
    }

    private Approval read(String text) throws IOException {
        Files.writeString(folder.resolve("approval_1.json"), text);
        return new ApprovalFiles(folder).all((_, _) -> false).getFirst();
    }

    @Test
    void whatIsAskedHasEachKeyInItsPlace() throws IOException {
        assertThat(kept(approval())).isEqualTo(PENDING);
        assertThat(kept(read(PENDING))).isEqualTo(PENDING);
    }

    @Test
    void onlyItsOwnerReadsIt() throws IOException {
        assertThat(kept(approval())).isNotEmpty();
        Path file = folder.resolve("approval_1.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void whatCameOfItStandsAtItsEnd() throws IOException {
        TaskId task = TaskId.parse("task_01JZZ3NDEKTSV4RRFFQ69G5FAV").orElseThrow();
        Approval allowed = approval().decided(Approval.State.ALLOWED, ANSWER, task);
        Refusal full = new Refusal(ErrorKind.STORAGE_FULL, "No space.", "Make some.");

        String begun = kept(allowed.begun(task));
        String refused = kept(allowed.refused(full));

        assertThat(begun)
                .contains("\"state\":\"ALLOWED\"")
                .endsWith(DECIDED + "true,\"task_id\":\"" + task.value() + "\",\"start_error\":null}");
        assertThat(refused).endsWith(DECIDED + "true,\"task_id\":null,\"start_error\":\"No space.\"}");
        assertThat(kept(read(begun))).isEqualTo(begun);
        assertThat(kept(read(refused))).isEqualTo(refused);
    }

    @Test
    void whatAnOlderServerWroteIsRead() throws IOException {
        String older = PENDING.replaceAll("\"(sandbox\":\\{|deciding\":\\[\\[)[^]}]*(}|]]),", "")
                .replace("\"words\":", "\"unknown\":1,\"words\":");
        assertThat(older).doesNotContain("\"sandbox\":{", "deciding");
        assertThat(kept(read(older)))
                .isEqualTo(PENDING.replaceAll("\"(sandbox|deciding)\":[\\[{][^]}]*(]]|}),", "\"$1\":null,"));
    }
}
