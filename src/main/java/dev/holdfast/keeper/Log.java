package dev.holdfast.keeper;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The keeper's log: its standard error, which is the file {@code log}. Holds no command, no environment, no output. */
final class Log {
    private Log() {}

    static void line(String text) {
        System.err.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + text);
    }
}
