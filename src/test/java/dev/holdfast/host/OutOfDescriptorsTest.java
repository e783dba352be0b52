package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.launch.LauncherStart;
import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.launch.TerminalHost;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.ExitWatch;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.ToldExits;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Processes;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that has no descriptor left: an end is told late and as it was, nobody is gone because he cannot be seen.
 */
class OutOfDescriptorsTest {
    @TempDir
    static Path folder;

    private static Map<String, String> seen = Map.of();

    /** In a process of its own, which may have so many. */
    @BeforeAll
    static void run() throws Exception {
        Process server = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 1024; exec \"$0\" \"$@\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShortOfDescriptors.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (Stream<String> lines = server.inputReader().lines()) {
            seen = lines.filter(line -> line.contains("="))
                    .map(line -> line.split("=", 2))
                    .collect(Collectors.toMap(line -> line[0], line -> line[1]));
        }
        assertThat(server.waitFor()).isZero();
    }

    @Test
    void anExitIsToldLate() {
        assertThat(seen.get("exit")).isEqualTo(new Exit.Code(7).toString());
    }

    /** It is on record, so it is known, though nobody ever saw the command's own process. */
    @Test
    void anExitOfACommandThatNobodySawIsNotGuessed() {
        assertThat(seen.get("exit of an unseen one")).isEqualTo(new Exit.Code(7).toString());
    }

    @Test
    void aStopIsNotDoneBeforeItCouldLook() {
        assertThat(seen.get("stop")).isEqualTo("survivors [], alive: false");
    }

    /** Who was told that it was taken would wait for a command that waits for him. */
    @Test
    void anEndOfInputThatCannotBeGivenIsNotSaidToBeTaken() {
        assertThat(seen.get("end of input")).isEqualTo("refused, then " + new Exit.Code(7));
    }

    /** Who is not told what was taken types it twice. */
    @Test
    void whatWasTakenOfAnInputIsTold() {
        assertThat(seen.get("input")).isEqualTo("some of it");
    }

    @Test
    void aTerminalThatIsThereIsFoundLate() {
        assertThat(seen.get("terminal")).isEqualTo("found");
    }

    /** Whichever step of a start is the first that finds none. */
    @Test
    void aStartThatFailsLeavesNothing() {
        assertThat(seen.get("starts")).isEqualTo("refused: true, left: []");
    }

    /** What the process does: everything once with descriptors, for no class can be loaded without. */
    static final class ShortOfDescriptors {
        private static final String WAITING = "until [ -e go ]; do sleep 0.2; done; exit 7";

        public static void main(String[] arguments) throws Exception {
            loadClasses();
            Path folder = Path.of(arguments[0]);
            for (boolean hogging : new boolean[] {false, true}) {
                Path own = Files.createDirectory(folder.resolve(hogging ? "without" : "with"));
                tell("exit", ShortOfDescriptors::exit, own, hogging);
                tell("exit of an unseen one", ShortOfDescriptors::unseen, own, hogging);
                tell("end of input", ShortOfDescriptors::input, own, hogging);
                tell("input", ShortOfDescriptors::muchInput, own, hogging);
                tell("stop", ShortOfDescriptors::stop, own, hogging);
                tell("starts", ShortOfDescriptors::starts, own, hogging);
                tell("terminal", ShortOfDescriptors::terminal, own, hogging);
            }
            System.exit(0);
        }

        private interface Try {
            String in(Path folder, boolean hogging) throws Exception;
        }

        private static void tell(String name, Try what, Path own, boolean hogging) throws IOException {
            Path folder = Files.createDirectory(own.resolve(name.replace(' ', '-')));
            String told;
            try {
                told = what.in(folder, hogging);
            } catch (Exception | Error failure) {
                told = failure.toString();
            }
            if (hogging) {
                System.out.println(name + "=" + told);
            }
        }

        private static void loadClasses() throws Exception {
            for (Class<?> one : List.of(HostedProcess.class, OutOfDescriptorsTest.class)) {
                URI root =
                        one.getProtectionDomain().getCodeSource().getLocation().toURI();
                try (Stream<Path> files = Files.walk(Path.of(root))) {
                    for (Path file : files.toList()) {
                        String name = Path.of(root).relativize(file).toString().replace('/', '.');
                        if (name.matches("dev\\.holdfast\\.(host|kernel|task|runtime\\.(port|call))\\..*\\.class")) {
                            Class.forName(name.substring(0, name.length() - 6), false, one.getClassLoader());
                        }
                    }
                }
            }
        }

        private static String exit(Path folder, boolean hogging) throws Exception {
            try (HostFixture fixture = new HostFixture(folder)) {
                HostedCommand command = fixture.sh(WAITING);
                HostFixture.process(command);
                long launcher = fixture.launcher(command).pid();
                return endMeanwhile(hogging, fixture.workdir, launcher, command.exit());
            }
        }

        private static String unseen(Path folder, boolean hogging) throws Exception {
            try (KernelEvents events = new KernelEvents();
                    StartedTask task = StartedTask.of(folder, "sh", "-c", WAITING)) {
                TaskFolder records = new TaskFolder(folder.resolve("task"));
                CommandProcesses processes = new CommandProcesses(records, task.launcher(), null);
                Lineage lineage = new Lineage();
                ExitWatch watch =
                        new ExitWatch(records, events, processes, () -> lineage.look(task.process), ToldExits.silent());
                watch.begin();
                return endMeanwhile(hogging, folder, task.launcher().pid(), watch.exit());
            }
        }

        /**
         * A folder can be made without a descriptor. The end of the launcher's group shows that its exit was heard of.
         */
        private static String endMeanwhile(boolean hogging, Path workdir, long launcher, CompletableFuture<Exit> exit) {
            try (Hog _ = new Hog(hogging, 0)) {
                assertThat(workdir.resolve("go").toFile().mkdir()).isTrue();
                await().until(() -> !Processes.groupExists(launcher));
                letItTry(hogging);
            }
            return exit.copy()
                    .completeOnTimeout(null, 20, TimeUnit.SECONDS)
                    .thenApply(String::valueOf)
                    .join();
        }

        /** Long enough to fail more than once; on a machine that is slower it fails less often. */
        private static void letItTry(boolean hogging) {
            if (hogging) {
                await().pollDelay(Duration.ofMillis(300)).until(() -> true);
            }
        }

        private static String input(Path folder, boolean hogging) throws Exception {
            try (HostFixture fixture = new HostFixture(folder)) {
                HostedCommand command = fixture.shWithInput("cat; exit 7");
                HostFixture.process(command);
                String told = "taken";
                try (Hog _ = new Hog(hogging, 0)) {
                    command.write(new byte[0], true, Duration.ofSeconds(1));
                } catch (ErrnoException none) {
                    told = "refused";
                }
                command.write(new byte[0], true, Duration.ofSeconds(20));
                return told + ", then " + HostFixture.end(command);
            }
        }

        /** With a descriptor for the pipe, and none to wait for room in it by. */
        private static String muchInput(Path folder, boolean hogging) throws Exception {
            try (HostFixture fixture = new HostFixture(folder)) {
                HostedCommand command = fixture.shWithInput(WAITING);
                HostFixture.process(command);
                byte[] much = new byte[2 << 20];
                try (Hog _ = new Hog(hogging, 1)) {
                    int taken = command.write(much, false, Duration.ofMillis(300));
                    return taken > 0 && taken < much.length ? "some of it" : taken + " bytes";
                } finally {
                    command.stop(Duration.ZERO);
                }
            }
        }

        private static String stop(Path folder, boolean hogging) throws Exception {
            try (HostFixture fixture = new HostFixture(folder)) {
                HostedCommand command = fixture.program("sleep", "300");
                ProcessIdentity process = HostFixture.process(command);
                CompletableFuture<List<Long>> stop = new CompletableFuture<>();
                try (Hog _ = new Hog(hogging, 0)) {
                    Thread.startVirtualThread(() -> complete(stop, command));
                    letItTry(hogging);
                }
                List<Long> survivors = stop.get(20, TimeUnit.SECONDS);
                return "survivors " + survivors + ", alive: " + ProcessTable.alive(process);
            }
        }

        private static void complete(CompletableFuture<List<Long>> stop, HostedCommand command) {
            try {
                stop.complete(command.stop(Duration.ZERO));
            } catch (RuntimeException failure) {
                stop.completeExceptionally(failure);
            }
        }

        /** The keeper has said that it was started; what the launcher wrote cannot be read for a moment. */
        private static String terminal(Path folder, boolean hogging) throws Exception {
            try (HostFixture fixture = new HostFixture(folder)) {
                TaskFolder records = new TaskFolder(folder);
                ProcessIdentity self =
                        StartedTask.stat(ProcessHandle.current().pid()).identity();
                TerminalHost keeper = new HostFixture.NoTerminals() {
                    @Override
                    public void start(Launch launch, Path own, List<String> launcherArgv) {
                        PidFile.append(records.pid(), self);
                        Hog hog = new Hog(hogging, 0);
                        Thread.ofPlatform().start(() -> {
                            letItTry(hogging);
                            hog.close();
                        });
                    }
                };
                ProcessIdentity found = LauncherStart.inTerminal(fixture.inTerminal("true"), records, null, keeper);
                return found.equals(self) ? "found" : found.toString();
            }
        }

        private static String starts(Path folder, boolean hogging) throws Exception {
            List<String> left = new ArrayList<>();
            boolean refused = false;
            try (HostFixture fixture = new HostFixture(folder)) {
                for (int free = 0; free < 12; free++) {
                    Launch launch = fixture.launch(new Invocation.Program(List.of("sleep", "300")), true, Map.of());
                    HostedCommand command = null;
                    try (Hog _ = new Hog(hogging, free)) {
                        command = fixture.host.start(launch);
                    } catch (Refusal refusal) {
                        refused = true;
                    } catch (RuntimeException failure) {
                        left.add(failure + " with " + free + " free");
                    }
                    Path records = TaskFolder.of(fixture.data, launch.id()).path();
                    if (command == null) {
                        // What was killed takes a moment to go.
                        await().until(() -> HostFixture.marked(launch.id()).isEmpty());
                    }
                    if (command == null && Files.exists(records)) {
                        left.add("a folder with " + free + " free");
                    }
                    if (command != null && !command.stop(Duration.ZERO).isEmpty()) {
                        left.add("survivors with " + free + " free");
                    }
                }
            }
            return "refused: " + refused + ", left: " + left;
        }
    }

    /** Holds all descriptors but for some, also those that others let go meanwhile. */
    private static final class Hog implements AutoCloseable {
        private final Deque<Descriptor> taken = new ArrayDeque<>();
        private final Thread taking;
        private volatile boolean closed;

        Hog(boolean hogging, int free) {
            closed = !hogging;
            takeAll();
            for (int i = 0; i < free && hogging; i++) {
                taken.pop().close();
            }
            closed |= free > 0;
            taking = Thread.ofPlatform().start(this::run);
        }

        private void run() {
            while (!closed) {
                takeAll();
                Thread.onSpinWait();
            }
        }

        private void takeAll() {
            try {
                while (!closed) {
                    taken.push(Descriptor.open(Path.of("/dev/null"), Descriptor.READ, 0));
                }
            } catch (ErrnoException none) {
                assertThat(none.isExhaustion()).isTrue();
            }
        }

        @Override
        public void close() {
            closed = true;
            try {
                taking.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            taken.forEach(Descriptor::close);
        }
    }
}
