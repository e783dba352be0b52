package dev.holdfast.host;

import dev.holdfast.kernel.KernelEvents;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What every hosted command needs of its surroundings.
 *
 * @param later runs short looks at {@code /proc}, on one thread for all commands
 * @param witnessed what the kernel tells of ended processes
 * @param lineage told of every command from its start to its exit
 */
record HostServices(
        KernelEvents events,
        TreeStop tree,
        FactsReader facts,
        TerminalHost terminals,
        ScheduledExecutorService later,
        LineageWatch lineage,
        WitnessedExits witnessed) {}
