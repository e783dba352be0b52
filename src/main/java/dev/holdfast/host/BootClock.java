package dev.holdfast.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The clock of process start times: time since boot, sleep included, which nobody sets (proc_uptime(5)). */
final class BootClock {
    private static final Path UPTIME = Path.of("/proc/uptime");
    /** {@code USER_HZ}, which is 100 on every Linux that Java runs on; proc_pid_stat(5) counts start times in it. */
    private static final long TICKS_PER_SECOND = 100;

    private BootClock() {}

    /** How long ago {@code startTicks} was; never negative. Exact to a hundredth of a second. */
    static Duration since(long startTicks) {
        Duration passed = uptime().minusMillis(startTicks * 1000 / TICKS_PER_SECOND);
        return passed.isNegative() ? Duration.ZERO : passed;
    }

    private static Duration uptime() {
        try {
            String text = Files.readString(UPTIME);
            BigDecimal seconds = new BigDecimal(text.substring(0, text.indexOf(' ')));
            return Duration.ofMillis(seconds.movePointRight(3).longValue());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
