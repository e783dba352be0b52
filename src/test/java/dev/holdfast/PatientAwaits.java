package dev.holdfast;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * What is awaited without a limit of its own may take a minute: that is how long a test hangs that fails, and no bound
 * on what it asks. A busy machine has taken the ten seconds that are usual. It is looked at at once and then soon, for
 * most of it is there within milliseconds; a tenth of a second, as is usual, was most of what many tests took. Not
 * where Quarkus loads the tests.
 */
public final class PatientAwaits implements LauncherSessionListener {
    private static final Duration FIRST_LOOK = Duration.ofMillis(5);
    private static final Duration LATER_LOOKS = Duration.ofMillis(100);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(PatientAwaits::next, FIRST_LOOK));
    }

    private static Duration next(Duration last) {
        Duration next = last.multipliedBy(3).dividedBy(2);
        return next.compareTo(LATER_LOOKS) < 0 ? next : LATER_LOOKS;
    }
}
