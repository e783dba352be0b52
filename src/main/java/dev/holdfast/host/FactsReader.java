package dev.holdfast.host;

import dev.holdfast.runtime.HostedCommand;

/** Reads what {@code /proc} says of a command now. */
public interface FactsReader {
    HostedCommand.ProcessFacts read(TaskProcess target);

    /** Whether one of its processes listens on this TCP port; cheaper than {@link #read}. */
    boolean listensOn(TaskProcess target, int port);
}
