package dev.holdfast.acceptance;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs where bubblewrap makes walls, and is left out where it does not; with {@code HOLDFAST_TEST_WALLS=required} that
 * is a failure, as in continuous integration.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Walled.Condition.class)
@interface Walled {
    /** Whether walls can be made here. */
    final class Condition implements ExecutionCondition {
        private static final List<String> PROBE = List.of(
                "bwrap",
                "--unshare-pid",
                "--unshare-net",
                "--ro-bind",
                "/",
                "/",
                "--proc",
                "/proc",
                "--dev",
                "/dev",
                "true");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (made()) {
                return ConditionEvaluationResult.enabled("bubblewrap makes walls here");
            }
            if ("required".equals(System.getenv("HOLDFAST_TEST_WALLS"))) {
                throw new IllegalStateException("bubblewrap makes no walls here: apt-get install bubblewrap");
            }
            return ConditionEvaluationResult.disabled("bubblewrap makes no walls here");
        }

        static boolean made() {
            try {
                return new ProcessBuilder(PROBE)
                                .redirectErrorStream(true)
                                .redirectOutput(Redirect.DISCARD)
                                .start()
                                .waitFor()
                        == 0;
            } catch (IOException notThere) {
                return false;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
