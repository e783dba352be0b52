package dev.holdfast.task;

/**
 * One process and no other: a pid alone is used again.
 *
 * @param startTicks field 22 of {@code /proc/[pid]/stat}: clock ticks after boot
 * @param bootId {@code /proc/sys/kernel/random/boot_id}
 */
public record ProcessIdentity(long pid, long startTicks, String bootId) {}
