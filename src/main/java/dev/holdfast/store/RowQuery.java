package dev.holdfast.store;

import dev.holdfast.runtime.TaskStore;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A listing as HQL. What callers wrote goes in as parameters only, and with the wildcards of LIKE escaped.
 *
 * @param hql newest first, for ids sort by time
 */
record RowQuery(String hql, Map<String, Object> parameters) {
    static RowQuery of(TaskStore.Query query) {
        List<String> conditions = new ArrayList<>();
        Map<String, Object> parameters = new HashMap<>();
        List<TaskStatus> statuses = statuses(query);
        if (statuses.size() < TaskStatus.values().length) {
            conditions.add("t.status in :statuses");
            parameters.put("statuses", statuses);
        }
        TaskId before = query.before();
        if (before != null) {
            conditions.add("t.id < :before");
            parameters.put("before", before.value());
        }
        String text = query.text();
        if (text != null) {
            conditions.add("lower(t.commandText) like :text escape '!'");
            parameters.put("text", "%" + escaped(text.toLowerCase(Locale.ROOT)) + "%");
        }
        int label = 0;
        for (Map.Entry<String, String> wanted : query.labels().entrySet()) {
            conditions.add("exists (select 1 from t.labels l where key(l) = :name" + label + " and value(l) = :content"
                    + label + ")");
            parameters.put("name" + label, wanted.getKey());
            parameters.put("content" + label, wanted.getValue());
            label++;
        }
        String where = conditions.isEmpty() ? "" : " where " + String.join(" and ", conditions);
        return new RowQuery("from TaskRow t" + where + " order by t.id desc", Map.copyOf(parameters));
    }

    private static List<TaskStatus> statuses(TaskStore.Query query) {
        TaskStatus one = query.status();
        if (one != null) {
            return List.of(one);
        }
        return Arrays.stream(TaskStatus.values())
                .filter(status -> switch (query.filter()) {
                    case ACTIVE -> !status.ended();
                    case ENDED -> status.ended();
                    case ALL -> true;
                })
                .toList();
    }

    private static String escaped(String text) {
        return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }
}
