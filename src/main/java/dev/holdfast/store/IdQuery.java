package dev.holdfast.store;

import static dev.holdfast.store.Statements.query;
import static java.util.stream.Collectors.joining;

import dev.holdfast.runtime.port.TaskStore.Query;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The ids of a listing, as SQL that goes through one index in the listing's order and looks the rest up by id: of what
 * has ended it reads a page, or, for a text, texts. What callers wrote goes in as parameters only, and with the
 * wildcards of LIKE escaped.
 */
final class IdQuery {
    /** The statuses of what has not ended, as a list of SQL. */
    static final String ACTIVE = Arrays.stream(TaskStatus.values())
            .filter(status -> !status.ended())
            .map(status -> "'" + status.name() + "'")
            .collect(joining(", ", "(", ")"));

    /** In characters, of which each is three at most in lower case; a column holds a million. */
    private static final int LONGEST_TEXT = 300_000;

    /** Sorted in a millisecond or two; with more, who goes through all by id soon finds a page. */
    private static final int FEW = 1000;

    private enum Table {
        TASKS("tasks", "id"),
        ENDS("tasks", "id"),
        OWNERS("tasks", "id"),
        LABELS("task_labels", "task_id"),
        TEXTS("task_texts", "task_id");

        final String name;
        final String id;

        Table(String name, String id) {
            this.name = name;
            this.id = id;
        }
    }

    private record Condition(Table table, String sql) {}

    /** The first one's table leads. */
    private final List<Condition> conditions = new ArrayList<>();

    private final List<Object> values = new ArrayList<>();
    private final String sql;

    /** @param fewEnds whether {@link #fewEnds} holds */
    IdQuery(Query query, boolean fewEnds) {
        Instant endedAfter = query.endedAfter();
        if (endedAfter != null && fewEnds) {
            add(Table.ENDS, "ended_at > ?", endedAfter);
        }
        TaskStatus status = query.status();
        boolean few = status == null ? query.filter() == StatusFilter.ACTIVE : !status.ended();
        if (few) {
            status(query);
        }
        if (query.owner() != null) {
            add(Table.OWNERS, "owner = ?", query.owner());
        }
        query.labels().forEach((name, content) -> add(Table.LABELS, "name = ? and content = ?", name, content));
        if (query.text() != null) {
            // Nothing else: H2 asks what costs more, by its own reckoning, after what costs less.
            String text = query.text().toLowerCase(Locale.ROOT);
            add(Table.TEXTS, "content like ? escape '!'", "%" + escaped(text) + "%");
        }
        // What has an end has ended: one condition less.
        boolean endTells = endedAfter != null && status == null && query.filter() == StatusFilter.ENDED;
        if (!few && !endTells) {
            status(query);
        }
        if (endedAfter != null && !fewEnds) {
            // Not the bare column: H2 would go through the index on it, and sort.
            add(Table.TASKS, "coalesce(ended_at, null) > ?", endedAfter);
        }
        sql = sql(query);
    }

    /** Whether so few tasks ended after that moment that they are looked up by it, and sorted. */
    static boolean fewEnds(Connection connection, Instant endedAfter) throws SQLException {
        String count =
                "select count(*) from (select 1 from tasks use index (tasks_by_end) where ended_at > ? fetch first "
                        + FEW + " rows only)";
        return query(connection, count, row -> row.getInt(1), endedAfter).getFirst() < FEW;
    }

    List<String> read(Connection connection, int most) throws SQLException {
        return query(
                connection, sql + " fetch first " + most + " rows only", row -> row.getString(1), values.toArray());
    }

    /** What is searched of a command. */
    static String searched(String command) {
        String text = command.length() > LONGEST_TEXT ? command.substring(0, LONGEST_TEXT) : command;
        return text.toLowerCase(Locale.ROOT);
    }

    private void status(Query query) {
        TaskStatus one = query.status();
        if (one != null) {
            add(Table.TASKS, "status = ?", one.name());
        } else if (query.filter() != StatusFilter.ALL) {
            String in = query.filter() == StatusFilter.ACTIVE ? "in" : "not in";
            add(Table.TASKS, "status " + in + " " + ACTIVE);
        }
    }

    private void add(Table table, String condition, Object... with) {
        conditions.add(new Condition(table, condition));
        values.addAll(List.of(with));
    }

    private static String escaped(String text) {
        return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }

    private String sql(Query query) {
        Table lead = conditions.isEmpty() ? Table.TASKS : conditions.getFirst().table();
        String id = "lead." + lead.id;
        List<String> where = new ArrayList<>();
        for (Condition condition : conditions) {
            where.add(where.isEmpty() ? condition.sql() : asked(condition, id));
        }
        TaskId before = query.before();
        if (before != null) {
            where.add(id + " < ?");
            values.add(before.value());
        }
        // The columns that are equal in all that is found: H2 goes through an index backwards only when all are named.
        String order = switch (lead) {
            case TASKS -> query.status() == null ? "" : "status desc, ";
            case OWNERS -> "owner desc, ";
            case LABELS -> "name desc, content desc, ";
            case TEXTS, ENDS -> "";
        };
        String index = lead == Table.ENDS ? " use index (tasks_by_end)" : "";
        return "select " + id + " from " + lead.name + " lead" + index
                + (where.isEmpty() ? "" : " where " + String.join(" and ", where)) + " order by " + order + id
                + " desc";
    }

    private static String asked(Condition condition, String id) {
        Table table = condition.table();
        // Not the bare column: H2 would go through the index on status for each id.
        String asked = condition.sql().replaceFirst("^status ", "substring(status from 1) ");
        return "exists (select 1 from " + table.name + " where " + table.id + " = " + id + " and " + asked + ")";
    }
}
