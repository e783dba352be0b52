package dev.holdfast.host;

import dev.holdfast.runtime.HostedCommand;

/** Reads what {@code /proc} says of a command now. */
public interface FactsReader {
    HostedCommand.ProcessFacts read(TaskProcess target);
}
