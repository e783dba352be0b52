package dev.holdfast.host;

import dev.holdfast.host.facts.CommandFacts;
import dev.holdfast.host.launch.TerminalHost;
import dev.holdfast.host.sandbox.Bubblewrap;
import dev.holdfast.host.stop.StopLoop;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.LineageWatch;
import dev.holdfast.host.watch.ToldExits;
import dev.holdfast.kernel.KernelEvents;

/**
 * What every hosted command needs of its surroundings.
 *
 * @param watch told of every command from its start to its exit
 * @param told what the kernel tells of ended processes
 * @param walls told of every exit before anybody else is
 */
record HostServices(
        KernelEvents events,
        StopLoop stops,
        CommandFacts facts,
        TerminalHost terminals,
        Lineage lineage,
        LineageWatch watch,
        ToldExits told,
        Bubblewrap walls) {}
