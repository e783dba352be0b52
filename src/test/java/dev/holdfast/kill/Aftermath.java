package dev.holdfast.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.acceptance.Processes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks at what a round left, while a server runs: nothing may be lost, doubled, made up, or left behind. */
final class Aftermath {
    private final PackagedServer server;
    private final Calls calls;
    private final Load load;
    private final Victim victim;
    /** The task whose launcher was killed, if one was. */
    private final String subject;

    private final Counts counts;
    private final String context;

    Aftermath(PackagedServer server, Load load, Victim victim, String subject, Counts counts, String context) {
        this.server = server;
        this.calls = server.calls();
        this.load = load;
        this.victim = victim;
        this.subject = subject;
        this.counts = counts;
        this.context = context;
    }

    /** @param before the folders there were before the round */
    void check(Set<String> before) throws IOException {
        assertThat(load.repeatFresh()).as("no task twice; %s", context).isEmpty();
        endEcho();
        Set<String> mine = new HashSet<>(folders(server));
        mine.removeAll(before);
        assertThat(mine).as(context).containsAll(load.known());
        for (String id : mine) {
            counts.commands++;
            if (Files.exists(server.taskFolder(id).resolve("answer.json"))) {
                checkAnswered(id);
            } else {
                checkTask(id);
            }
        }
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(Processes.byValue("HOLDFAST_TASK"))
                        .as("no process without an owner; %s", context)
                        .doesNotContainKeys(mine.toArray(String[]::new)));
    }

    /** All that was taken from its callers comes out before it is stopped, as long as it lives. */
    private void endEcho() {
        String echo = load.echo();
        if (!(victim == Victim.LAUNCHER && subject.equals(echo))) {
            await().atMost(Calls.PATIENCE)
                    .untilAsserted(() -> assertThat(output(echo).lines().count())
                            .as("input that was taken is read; %s", context)
                            .isGreaterThanOrEqualTo(load.typed()));
        }
        calls.stop(echo, "grace_ms", 0).hasStatus(200);
    }

    /** What ended in its caller's window, by what its key is told. */
    private void checkAnswered(String id) throws IOException {
        JsonNode answer = load.completed();
        String which = "answered in its window: " + answer + "; " + context;
        if (answer.path("ended_by").asText().equals("unknown")) {
            checkPrinted(output(id), which);
            checkUnknown(id, answer, which);
        } else {
            assertThat(answer.path("exit_status").asInt(-1)).as(which).isEqualTo(Load.EXIT_CODE);
            assertThat(output(id)).as(which).isEqualTo(Load.ALL);
            counts.answered++;
        }
    }

    private static void checkPrinted(String out, String which) {
        assertThat(out)
                .as("each line once and in order; %s", which)
                .isEqualTo(Load.ALL.substring(0, Math.min(Load.ALL.length(), out.length())));
    }

    /** @param told the task, or what was answered */
    private void checkUnknown(String id, JsonNode told, String which) throws IOException {
        assertThat(lostTerminal(id) || (victim == Victim.LAUNCHER && id.equals(subject)))
                .as("why should its exit be unknown? %s", which)
                .isTrue();
        assertThat(told.path("exit_status").isNull() && told.path("exit_signal").isNull())
                .as("an exit that nobody saw; %s", which)
                .isTrue();
        assertThat(told.path("ended_by").asText()).isEqualTo("unknown");
        assertThat(Processes.marked("HOLDFAST_TASK", id))
                .as("it is not said to have ended while it lives; %s", which)
                .isEmpty();
        if (lostTerminal(id)) {
            counts.terminalLost++;
        } else {
            counts.unknown++;
        }
    }

    private boolean lostTerminal(String id) {
        return victim.takesKeeper() && id.equals(load.terminal());
    }

    private void checkTask(String id) throws IOException {
        assertThat(calls.get("/v1/tasks/" + id).status())
                .as("the folder of %s has a row; %s", id, context)
                .isEqualTo(200);
        JsonNode task = calls.awaitEnd(id);
        String which = task + "; " + context;
        String out = output(id);
        checkPrinted(out, which);
        switch (task.path("status").asText()) {
            case "interrupted" -> checkUnknown(id, task, which);
            case "cancelled" -> {
                assertThat(id).as(which).isIn(load.stopped(), load.echo());
                counts.stopped++;
            }
            case "failed" -> {
                if (victim == Victim.LAUNCHER && id.equals(load.echo())) {
                    // Its stdin ended with the launcher's helper, or it was stopped: by what, nobody is left to say.
                    assertThat(task.path("exit_signal").asText()).as(which).isEqualTo("SIGKILL");
                    counts.stopped++;
                    return;
                }
                assertThat(task.path("exit_status").asInt(-1)).as(which).isEqualTo(Load.EXIT_CODE);
                // What it printed last may have been in the kernel's buffer, which goes with the keeper.
                if (lostTerminal(id) && !out.equals(Load.ALL)) {
                    counts.terminalLost++;
                } else {
                    assertThat(out).as(which).isEqualTo(Load.ALL);
                    counts.exact++;
                }
            }
            default -> throw new AssertionError("a false end: " + which);
        }
    }

    private String output(String id) {
        try {
            return Files.readString(server.taskFolder(id).resolve("out"), StandardCharsets.UTF_8)
                    .replace("\r", "");
        } catch (IOException none) {
            return "";
        }
    }

    static Set<String> folders(PackagedServer server) throws IOException {
        try (Stream<Path> all = Files.list(server.data().resolve("tasks"))) {
            return all.map(folder -> folder.getFileName().toString())
                    .filter(name -> name.startsWith("task_"))
                    .collect(Collectors.toSet());
        }
    }
}
