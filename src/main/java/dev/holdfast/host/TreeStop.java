package dev.holdfast.host;

import java.time.Duration;
import java.util.List;

/** Ends everything that a command started, detached or not. */
public interface TreeStop {
    /**
     * TERM to the session, the grace, then KILL until all is verified gone, the launcher last. Blocks meanwhile; a second
     * call for the same task joins the first, and a shorter grace shortens it.
     *
     * @return pids that live although they were sent KILL
     */
    List<Long> stop(TaskProcess target, Duration grace);
}
