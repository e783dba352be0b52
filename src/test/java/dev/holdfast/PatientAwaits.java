package dev.holdfast;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * What is awaited without a limit of its own may take a minute: that is how long a test hangs that fails, and no bound
 * on what it asks. A busy machine has taken the ten seconds that are usual. Not where Quarkus loads the tests.
 */
public final class PatientAwaits implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }
}
