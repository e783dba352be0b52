package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.ProcessBirths.Birth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProcessBirthsTest {
    private static final long SELF = ProcessHandle.current().pid();

    /** sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode: a connector that dropped some. */
    private static final Pattern DROPPED = Pattern.compile("\\S+ +11 +(?:\\S+ +){6}[1-9]\\d* +(\\d+) *");

    private final List<Birth> told = new ArrayList<>();

    /** In a container of its own nothing is told; else a child is, and after it the child's child. */
    @Test
    void tellsWhoWasForkedByWhomInTheirOrder() throws Exception {
        Optional<ProcessBirths> opened = ProcessBirths.open();
        assertThat(opened.isPresent() && !ProcessExits.inFirstNamespace()).isFalse();
        if (opened.isEmpty()) {
            return; // this kernel does not tell: that nothing is made up is all there is to see
        }
        try (ProcessBirths births = opened.get()) {
            long before = BootTime.nanos();
            Process parent = start("sh -c 'echo $$; :' & wait");
            long child;
            try (var output = parent.inputReader()) {
                child = Long.parseLong(output.readLine());
            }
            parent.waitFor();
            assertThat(births.drain(told::add)).isFalse();
            assertThat(told)
                    .filteredOn(birth -> birth.pid() == parent.pid() || birth.pid() == child)
                    .extracting(Birth::pid)
                    .containsExactly(parent.pid(), child);
            assertThat(told)
                    .filteredOn(birth -> birth.pid() == child)
                    .singleElement()
                    .satisfies(birth -> {
                        assertThat(birth.parent()).isEqualTo(parent.pid());
                        assertThat(birth.bootNanos()).isBetween(before, BootTime.nanos());
                    });
        }
    }

    @Test
    void leavesThreadsOut() throws Exception {
        try (ProcessBirths births = ProcessBirths.open().orElse(null)) {
            if (births != null) {
                Thread thread = Thread.ofPlatform().start(() -> {});
                thread.join();
                long pid = end("true");
                births.drain(told::add);
                assertThat(told).extracting(Birth::pid).contains(pid).doesNotContain(SELF);
            }
        }
    }

    @Test
    void tellsNothingOfTheTimeItWasIgnored() throws Exception {
        try (ProcessBirths births = ProcessBirths.open().orElse(null)) {
            if (births != null) {
                long first = end("true");
                births.ignore();
                long second = end("true");
                births.listen();
                long third = end("true");
                births.drain(told::add);
                assertThat(told).extracting(Birth::pid).contains(third).doesNotContain(first, second);
            }
        }
    }

    /** More than fit: what came first is told, that some are missing is said, and then it goes on. */
    @Test
    void saysWhenSomeWereLost() throws Exception {
        try (ProcessBirths births = ProcessBirths.open().orElse(null)) {
            if (births != null) {
                long first = end("true");
                await().atMost(Duration.ofSeconds(40)).until(() -> {
                    for (int i = 0; i < 4000; i++) {
                        Thread.ofPlatform().start(() -> {}).join(); // threads take room too
                    }
                    return overflowed(births);
                });
                long last = end("true");
                assertThat(told).extracting(Birth::pid).contains(first);
                told.clear();
                assertThat(births.drain(told::add)).isFalse();
                assertThat(told).extracting(Birth::pid).contains(last);
            }
        }
    }

    private boolean overflowed(ProcessBirths births) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/net/netlink"))) {
            Matcher dropped = DROPPED.matcher(line);
            if (dropped.matches() && isOurs(dropped.group(1))) {
                return births.drain(told::add);
            }
        }
        return false;
    }

    private static boolean isOurs(String inode) throws IOException {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.anyMatch(fd -> {
                try {
                    return Files.readSymbolicLink(fd).toString().equals("socket:[" + inode + "]");
                } catch (IOException closed) {
                    return false; // the one that lists them
                }
            });
        }
    }

    private static Process start(String text) throws IOException {
        return new ProcessBuilder("/bin/sh", "-c", text).start();
    }

    private static long end(String text) throws Exception {
        Process process = start(text);
        process.waitFor();
        return process.pid();
    }
}
