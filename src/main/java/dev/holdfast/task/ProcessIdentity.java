package dev.holdfast.task;

/**
 * One process of this boot and no other: a pid alone is used again. Whose record is of another boot is never asked for.
 *
 * @param startTicks field 22 of {@code /proc/[pid]/stat}: clock ticks after boot
 */
public record ProcessIdentity(long pid, long startTicks) {}
