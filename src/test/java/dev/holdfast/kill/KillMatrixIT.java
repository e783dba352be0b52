package dev.holdfast.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.acceptance.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Kills with {@code kill -9}, at each {@link Moment}, each {@link Victim} that a command depends on, and asserts that
 * nothing is lost: every byte of a counted output once and in order, every exit code right or unknown and never a false
 * 0, no task twice, no process without an owner, no folder without a row. How many rounds: the system property
 * {@code holdfast.kill.rounds}; 32 meet every victim at every moment. The seed is printed, and
 * {@code holdfast.kill.seed} repeats it.
 */
class KillMatrixIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private static final List<Victim> VICTIMS = List.of(Victim.values());
    private static final List<Moment> MOMENTS = List.of(Moment.values());
    private static final Duration LOOKING = Duration.ofSeconds(3);
    /** From one look to the next: without a pause they would take a processor from what they look at. */
    private static final Duration LOOKS = Duration.ofNanos(50_000);

    private static final int WINDOW_MS = 100;

    private final long seed = Long.getLong("holdfast.kill.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Map<Victim, Counts> counts = new EnumMap<>(Victim.class);

    @Test
    void whateverIsKilledNothingIsLost() throws Exception {
        int rounds = Integer.getInteger("holdfast.kill.rounds", MOMENTS.size());
        try (HoldUps _ = new HoldUps(SERVER)) {
            for (int round = 0; round < rounds; round++) {
                int turn = round / MOMENTS.size();
                round(round, VICTIMS.get(round % VICTIMS.size()), MOMENTS.get((round + turn) % MOMENTS.size()));
            }
        } finally {
            System.out.printf("Kill matrix: %d rounds, seed %d%n%s%n", rounds, seed, Counts.head());
            counts.forEach((victim, count) -> System.out.println(count.line(victim)));
        }
    }

    private void round(int round, Victim victim, Moment moment) throws Exception {
        String context = "round " + round + ": " + victim + " killed at " + moment + ", seed " + seed;
        Counts count = counts.computeIfAbsent(victim, _ -> new Counts());
        count.rounds++;
        Set<String> before = Aftermath.folders(SERVER);
        Load load = new Load(SERVER, round);
        load.type();
        String subject = await(moment, load, before);
        if (moment == Moment.RECOVERY) {
            SERVER.kill();
            killWhileRecovering(victim, subject);
        } else {
            kill(victim, subject);
        }
        load.awaitCallers();
        if (!SERVER.server().isAlive()) {
            SERVER.start();
        }
        new Aftermath(SERVER, load, victim, subject, count, context).check(before);
    }

    /** @return the task it is the moment of */
    private String await(Moment moment, Load load, Set<String> before) throws IOException {
        switch (moment) {
            case SPAWN -> {
                load.startFresh(0);
                return fresh(load, before, 3);
            }
            case OUTPUT, RECOVERY -> {
                Path out = SERVER.taskFolder(load.counter()).resolve("out");
                int size = random.nextInt(Load.ALL.length());
                look(() -> out.toFile().length() >= size);
                return load.counter();
            }
            case INPUT -> {
                int lines = random.nextInt(Load.TYPED / 2);
                look(() -> load.typed() >= lines);
                return load.echo();
            }
            case WINDOW -> {
                load.startFresh(10_000);
                return fresh(load, before, 250);
            }
            case EXIT -> {
                Path out = SERVER.taskFolder(load.counter()).resolve("out");
                look(() -> out.toFile().length() >= Load.ALL.length());
                pause(100);
                return load.counter();
            }
            case PROMOTION -> {
                load.startFresh(WINDOW_MS);
                String id = fresh(load, before, 0);
                later(TimeUnit.MILLISECONDS.toNanos(WINDOW_MS - 15));
                pause(30);
                return id;
            }
            case STOP -> {
                load.stop();
                pause(200);
                return load.stopped();
            }
        }
        throw new AssertionError(moment);
    }

    /** The command whose folder has just appeared, up to so many milliseconds after that. */
    private String fresh(Load load, Set<String> before, int milliseconds) throws IOException {
        String[] found = {load.counter()};
        look(() -> SERVER.taskFolders().stream()
                .map(folder -> folder.getFileName().toString())
                .filter(name -> !before.contains(name) && !load.known().contains(name))
                .peek(name -> found[0] = name)
                .findAny()
                .isPresent());
        pause(milliseconds);
        return found[0];
    }

    private static void look(BooleanSupplier condition) {
        try {
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(LOOKS)
                    .atMost(LOOKING)
                    .until(condition::getAsBoolean);
        } catch (ConditionTimeoutException missed) {
            // Then any moment will do.
        }
    }

    /** A moment is what is wanted here, any one up to so many milliseconds from now. */
    private void pause(int milliseconds) {
        later((long) (random.nextDouble() * TimeUnit.MILLISECONDS.toNanos(milliseconds)));
    }

    private static void later(long nanos) {
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS))
                .join();
    }

    private void kill(Victim victim, String subject) {
        if (victim.takesServer()) {
            SERVER.kill();
        }
        killOthers(victim, subject);
    }

    private static void killOthers(Victim victim, String subject) {
        if (victim.takesKeeper()) {
            Processes.running("dev.holdfast.keeper.Keeper " + SERVER.data()).forEach(Processes::kill);
        }
        if (victim == Victim.LAUNCHER) {
            Path folder = SERVER.taskFolder(subject);
            look(() -> launcher(folder) > 0);
            Processes.kill(launcher(folder));
        }
    }

    /** 0 when nobody has put it down yet. */
    static long launcher(Path folder) {
        try {
            String pid = Files.readString(folder.resolve("pid"));
            return pid.isBlank() ? 0 : Long.parseLong(pid.substring(0, pid.indexOf(' ')));
        } catch (IOException notYet) {
            return 0;
        }
    }

    /** The server itself twice in a row, before the third may finish. */
    private void killWhileRecovering(Victim victim, String subject) throws Exception {
        for (int i = 0; victim.takesServer() && i < 2; i++) {
            Process begun = SERVER.launch();
            awaitRecovery(begun);
            begun.destroyForcibly().onExit().join();
        }
        CompletableFuture<Void> killing = CompletableFuture.runAsync(() -> {
            look(() -> SERVER.server().isAlive());
            awaitRecovery(SERVER.server());
            killOthers(victim, subject);
        });
        SERVER.start();
        killing.join();
    }

    /** Until it holds the data folder, and a moment longer: then it reads the tasks. */
    private void awaitRecovery(Process server) {
        Path lock = SERVER.data().resolve("lock");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> !server.isAlive() || holder(lock).equals(Long.toString(server.pid())));
        pause(400);
        assertThat(server.isAlive()).as(SERVER.log()).isTrue();
    }

    private static String holder(Path lock) throws IOException {
        return Files.exists(lock) ? Files.readString(lock).strip() : "";
    }
}
