package dev.holdfast.task;

import java.util.List;

/**
 * A process that outlives the command that started it, as it was when that had ended.
 *
 * @param name what the kernel calls it, at most 15 bytes
 * @param arguments its command line, at most 4096 bytes of it; empty where it has none (a program that erased it)
 * @param ports TCP ports that it listens on, sorted
 */
public record LeftProcess(long pid, String name, List<String> arguments, List<Integer> ports) {
    public LeftProcess {
        arguments = List.copyOf(arguments);
        ports = List.copyOf(ports);
    }
}
