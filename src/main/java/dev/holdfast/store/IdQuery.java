package dev.holdfast.store;

import static java.util.stream.Collectors.joining;

import dev.holdfast.runtime.port.TaskStore.Query;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

    private static final Pattern PARAMETER = Pattern.compile(":([a-z]+[0-9]*)");

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

    private final Map<String, Object> parameters = new HashMap<>();
    private final String sql;

    /** @param fewEnds whether {@link #fewEnds} holds */
    IdQuery(Query query, boolean fewEnds) {
        Instant endedAfter = query.endedAfter();
        if (endedAfter != null && fewEnds) {
            ended(new Condition(Table.ENDS, "ended_at > :ended"), endedAfter);
        }
        TaskStatus status = query.status();
        boolean few = status == null ? query.filter() == StatusFilter.ACTIVE : !status.ended();
        if (few) {
            status(query);
        }
        owner(query.owner());
        query.labels().forEach(this::label);
        text(query.text());
        // What has an end has ended: one condition less.
        boolean endTells = endedAfter != null && status == null && query.filter() == StatusFilter.ENDED;
        if (!few && !endTells) {
            status(query);
        }
        if (endedAfter != null && !fewEnds) {
            // Not the bare column: H2 would go through the index on it, and sort.
            ended(new Condition(Table.TASKS, "coalesce(ended_at, null) > :ended"), endedAfter);
        }
        sql = sql(query);
    }

    /** Whether so few tasks ended after that moment that they are looked up by it, and sorted. */
    static boolean fewEnds(Connection connection, Instant endedAfter) throws SQLException {
        String count =
                "select count(*) from (select 1 from tasks use index (tasks_by_end) where ended_at > ? fetch first "
                        + FEW + " rows only)";
        try (PreparedStatement statement = connection.prepareStatement(count)) {
            statement.setObject(1, endedAfter);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getInt(1) < FEW;
            }
        }
    }

    List<String> read(Connection connection, int most) throws SQLException {
        List<Object> values = new ArrayList<>();
        String positional = PARAMETER.matcher(sql).replaceAll(parameter -> {
            values.add(Objects.requireNonNull(parameters.get(parameter.group(1))));
            return "?";
        });
        try (PreparedStatement statement =
                connection.prepareStatement(positional + " fetch first " + most + " rows only")) {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            List<String> ids = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getString(1));
                }
            }
            return ids;
        }
    }

    /** What is searched of a command. */
    static String searched(String command) {
        String text = command.length() > LONGEST_TEXT ? command.substring(0, LONGEST_TEXT) : command;
        return text.toLowerCase(Locale.ROOT);
    }

    private void status(Query query) {
        TaskStatus one = query.status();
        if (one != null) {
            conditions.add(new Condition(Table.TASKS, "status = :status"));
            parameters.put("status", one.name());
        } else if (query.filter() != StatusFilter.ALL) {
            String in = query.filter() == StatusFilter.ACTIVE ? "in" : "not in";
            conditions.add(new Condition(Table.TASKS, "status " + in + " " + ACTIVE));
        }
    }

    private void owner(@Nullable String owner) {
        if (owner != null) {
            conditions.add(new Condition(Table.OWNERS, "owner = :owner"));
            parameters.put("owner", owner);
        }
    }

    private void ended(Condition condition, Instant after) {
        conditions.add(condition);
        parameters.put("ended", after);
    }

    private void label(String name, String content) {
        int number = conditions.size();
        conditions.add(new Condition(Table.LABELS, "name = :name" + number + " and content = :content" + number));
        parameters.put("name" + number, name);
        parameters.put("content" + number, content);
    }

    private void text(@Nullable String text) {
        if (text != null) {
            // Nothing else: H2 asks what costs more, by its own reckoning, after what costs less.
            conditions.add(new Condition(Table.TEXTS, "content like :text escape '!'"));
            parameters.put("text", "%" + escaped(text.toLowerCase(Locale.ROOT)) + "%");
        }
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
            where.add(id + " < :before");
            parameters.put("before", before.value());
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
