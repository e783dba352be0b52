package dev.holdfast.recovery;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.kernel.Autogroup;
import dev.holdfast.runtime.Endings;
import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.Retention;
import dev.holdfast.runtime.call.OpenCalls;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.start.Decisions;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.virtual.threads.VirtualThreadsRecorder;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** What happens between the start of the program and the opening of its port, and at its stop. */
@Singleton
public record Startup(HoldfastConfig config, DataFolder dataFolder) {
    /** The data folder is opened before anything that lies in it, the database too. */
    public static final int OPEN_DATA_FOLDER = 50;

    /** After the rows are there ({@code StoreOpening}, 100). */
    public static final int RECOVER = 300;

    private static final Logger LOG = Logger.getLogger(Startup.class);
    private static final Duration GRACE = Duration.ofSeconds(5);
    /** How long the end of what is verified gone may take to be on record. */
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    /**
     * How long callers whose windows are closed by the stop have for their answers. Most have theirs in a tenth of a
     * second, on a busy machine some in more than one; with what follows (some 3.5 s were measured where all of it was
     * waited out) it is less than the ten that Docker waits.
     */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    /** How long what is under way when the port is closed has for its end. */
    private static final Duration REST_LIMIT = Duration.ofSeconds(1);

    private static final Executor VIRTUAL = Threads::start;

    void openDataFolder(@Observes @Priority(OPEN_DATA_FOLDER) StartupEvent event) {
        Autogroup.prefer(ProcessHandle.current().pid());
        dataFolder.open();
    }

    void recover(
            @Observes @Priority(RECOVER) StartupEvent event,
            Recovery recovery,
            Retention retention,
            Decisions decisions) {
        warnOfLocale();
        warnOfContainer();
        Threads.start(() -> {}); // they are kept from now on
        Recovery.Report report = recovery.run();
        LOG.infof(
                "Recovered: %d running tasks adopted, %d finished, %d lost, %d kept answers, %d damaged",
                report.adopted(), report.finished(), report.lost(), report.keptAnswers(), report.damaged());
        decisions.begin();
        retention.begin();
    }

    /** The script sets one that does. */
    private static void warnOfLocale() {
        String charset = System.getProperty("sun.jnu.encoding", "UTF-8");
        if (!charset.equalsIgnoreCase("UTF-8")) {
            LOG.warnf(
                    "The locale's charset is %s: folders and files with names beyond ASCII cannot be used. Start the server"
                            + " with LC_ALL=C.UTF-8, or by bin/holdfast serve.",
                    charset);
        }
    }

    private static void warnOfContainer() {
        if (ProcessHandle.current().pid() == 1) {
            LOG.warn("This server is process 1 of its container: orphans stay as zombies, and no task outlives it."
                    + " `docker run --init` ends the zombies; for the tasks, let a supervisor be process 1.");
        }
    }

    /** Before the port is closed. */
    void closeWindows(@Observes ShutdownDelayInitiatedEvent event, OpenCalls calls) {
        int cutOff = calls.endAll(ANSWER_LIMIT);
        if (cutOff > 0) {
            LOG.warnf("%d callers did not take their last answers within %s; they are cut off", cutOff, ANSWER_LIMIT);
        }
    }

    /** When no request comes any more, and before what they and the ends of commands need is taken away. */
    void shutDown(@Observes ShutdownEvent event, LiveCommands live, Endings endings, Retention retention)
            throws InterruptedException {
        ExecutorService requests = VirtualThreadsRecorder.getCurrent(); // Quarkus ends it last, when all else is gone
        requests.shutdown();
        var _ = requests.awaitTermination(REST_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        leaveOrStop(live, endings);
        endings.close(REST_LIMIT);
        retention.close(REST_LIMIT);
    }

    private void leaveOrStop(LiveCommands live, Endings endings) {
        List<LiveCommand> running = live.all().stream()
                .filter(command -> !command.task().status().ended())
                .toList();
        switch (config.shutdown()) {
            case LEAVE ->
                LOG.infof("Leaving %d tasks running; the next start takes them over%s", running.size(), names(running));
            case STOP -> {
                LOG.infof("Stopping %d tasks%s", running.size(), names(running));
                CompletableFuture.allOf(running.stream()
                                .map(command -> CompletableFuture.runAsync(() -> stop(command, endings), VIRTUAL))
                                .toArray(CompletableFuture[]::new))
                        .join();
            }
        }
    }

    private static void stop(LiveCommand command, Endings endings) {
        if (endings.stop(command, GRACE).isEmpty()) {
            var _ = command.awaitEnd(END_LIMIT);
        }
    }

    private static String names(List<LiveCommand> commands) {
        return commands.isEmpty()
                ? ""
                : ": " + commands.stream().map(LiveCommand::id).toList();
    }
}
