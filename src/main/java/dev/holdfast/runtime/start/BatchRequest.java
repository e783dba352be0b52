package dev.holdfast.runtime.start;

import java.util.List;

/**
 * Commands to be run one after the other.
 *
 * @param items 1 to 12; the yield time of each is the time it has before it is stopped
 * @param stopOnError whether what follows a failed item is skipped
 */
public record BatchRequest(List<StartRequest> items, boolean stopOnError) {}
