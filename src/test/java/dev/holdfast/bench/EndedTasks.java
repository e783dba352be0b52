package dev.holdfast.bench;

import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.Folders;
import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.store.DatabaseFile;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Many ended tasks behind a server that is down, over the last week: rows in all its tables and whole folders, each like
 * that of one task which the server ran, with an id, times, a command and labels of its own. A tenth have a label in common.
 */
final class EndedTasks {
    /** A tenth have it. */
    static final String COMMON = "team%3Dt3";

    private static final Duration AGE = Duration.ofDays(6);
    private static final int BATCH = 1000;
    private static final String SEED = "npm run build -- --seed 0";

    private final PackagedServer server;
    private final Random random = new Random(7);
    private final List<TaskId> ids = new ArrayList<>();
    private String seed = "";

    EndedTasks(PackagedServer server) {
        this.server = server;
    }

    /** The server runs before and afterwards. */
    void make(int count) throws Exception {
        Calls http = server.calls();
        seed = http.start("echo built; echo warned >&2 # " + SEED, "labels", Map.of("team", "t3", "run", "0"));
        http.awaitEnd(seed);
        server.terminate();
        Instant from = Instant.now().minus(AGE);
        Duration step = AGE.dividedBy(count);
        long[] now = {from.toEpochMilli()};
        TaskIds made = new TaskIds(() -> Instant.ofEpochMilli(now[0]), random);
        while (ids.size() < count) {
            ids.add(made.next());
            now[0] = from.plus(step.multipliedBy(ids.size())).toEpochMilli();
        }
        try (Connection connection = new DatabaseFile(server.data()).connect()) {
            connection.setAutoCommit(false);
            rows(connection);
        }
        folders();
        server.start();
    }

    /** Any of them. */
    String one() {
        return ids.get(random.nextInt(ids.size())).value();
    }

    /** Of the one that nobody else has, by its number. */
    static String label(int number) {
        return "run%3D" + number;
    }

    private static String cmd(int number) {
        return "cd services/s" + number % 40 + " && npm run build -- --seed "
                + Integer.toHexString(number * 0x9E3779B1);
    }

    private void rows(Connection connection) throws SQLException {
        String insert = "insert into tasks (%1$s) select %2$s from tasks where id = '" + seed + "'";
        List<String> columns = columns(connection);
        String chosen = columns.stream()
                .map(column -> switch (column) {
                    case "id" -> "cast(? as varchar)";
                    case "command_text" -> "cast(? as varchar)";
                    case "created_at", "started_at", "promoted_at", "updated_at", "ended_at" ->
                        "cast(? as timestamp(9) with time zone)";
                    default -> column;
                })
                .collect(Collectors.joining(", "));
        try (PreparedStatement task =
                        connection.prepareStatement(insert.formatted(String.join(", ", columns), chosen));
                PreparedStatement text = connection.prepareStatement("insert into task_texts values (?, ?)");
                PreparedStatement label = connection.prepareStatement("insert into task_labels values (?, ?, ?)")) {
            for (int i = 0; i < ids.size(); i++) {
                add(task, columns, i);
                add(text, ids.get(i).value(), cmd(i));
                add(label, ids.get(i).value(), "team", "t" + i % 10);
                add(label, ids.get(i).value(), "run", Integer.toString(i));
                if (i % BATCH == BATCH - 1 || i == ids.size() - 1) {
                    for (PreparedStatement batch : List.of(task, text, label)) {
                        batch.executeBatch();
                    }
                    connection.commit();
                }
            }
        }
    }

    private void add(PreparedStatement task, List<String> columns, int number) throws SQLException {
        OffsetDateTime time = TaskIds.madeAt(ids.get(number)).atOffset(ZoneOffset.UTC);
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("id", ids.get(number).value());
        own.put("command_text", cmd(number));
        own.put("created_at", time);
        own.put("started_at", time.plusNanos(2_345_678));
        own.put("promoted_at", time.plusNanos(2_400_000));
        own.put("updated_at", time.plusNanos(1_234_567_890));
        own.put("ended_at", time.plusNanos(1_234_567_890));
        add(task, columns.stream().filter(own::containsKey).map(own::get).toArray());
    }

    private static void add(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        statement.addBatch();
    }

    private static List<String> columns(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("select * from tasks where false")) {
            ResultSetMetaData data = none.getMetaData();
            List<String> names = new ArrayList<>();
            for (int i = 1; i <= data.getColumnCount(); i++) {
                names.add(data.getColumnName(i).toLowerCase(Locale.ROOT));
            }
            return names;
        }
    }

    private void folders() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (Path file : Folders.files(server.taskFolder(seed))) {
            files.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
        String spec = new String(files.get("spec.json"), StandardCharsets.UTF_8);
        for (int i = 0; i < ids.size(); i++) {
            Path folder = server.taskFolder(ids.get(i).value());
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            files.put(
                    "spec.json",
                    spec.replace(seed, ids.get(i).value()).replace(SEED, cmd(i)).getBytes(StandardCharsets.UTF_8));
            for (var file : files.entrySet()) {
                Files.write(folder.resolve(file.getKey()), file.getValue());
            }
        }
    }
}
