package dev.holdfast.runtime.feed;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a task.
 *
 * @param id a cursor: what follows it can be asked for
 * @param type {@code output}, {@code status}, {@code waiting} or {@code ports}; {@code approval}; {@code resync} when
 *     some were missed
 * @param data as callers see it, with {@code task_id} (or {@code approval_id}); strings, numbers, booleans, lists and
 *     maps, in the order they show
 */
public record FeedEvent(String id, String type, Map<String, @Nullable Object> data) {}
