package dev.holdfast.store;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Inserts, changes and forgets tasks, a transaction each, and prints {@code <number>} once each insert is acknowledged,
 * until it is killed. Its first argument is the data folder. Keeps {@value #KEPT} tasks, so that space is used again.
 * With a number as its second argument it inserts so many, prints {@value #CLOSING} and closes the database.
 */
final class KilledWriter {
    static final int KEPT = 500;
    static final String CLOSING = "closing";

    private KilledWriter() {}

    public static void main(String[] args) throws SQLException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (Connection connection = new DatabaseFile(Path.of(args[0])).connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            long number = newest(statement);
            if (args.length > 1) {
                for (int i = 1; i <= Integer.parseInt(args[1]); i++) {
                    statement.executeUpdate(insert(number + i));
                }
                connection.commit();
                out.println(CLOSING);
                return;
            }
            while (true) {
                number++;
                statement.executeUpdate(insert(number));
                connection.commit();
                out.println(number);
                statement.executeUpdate(
                        "update tasks set status = 'COMPLETED', version = 1 where id = '" + id(number - 9) + "'");
                connection.commit();
                statement.executeUpdate("delete from tasks where id <= '" + id(number - KEPT) + "'");
                connection.commit();
            }
        }
    }

    static String id(long number) {
        return "task_%026d".formatted(number);
    }

    static long newest(Statement statement) throws SQLException {
        try (ResultSet newest = statement.executeQuery("select max(id) from tasks")) {
            newest.next();
            String id = newest.getString(1);
            return id == null ? 0 : Long.parseLong(id.substring(5));
        }
    }

    static String insert(long number) {
        return "insert into tasks (id, version, status, created_at, updated_at, command_text, shell, login, workdir,"
                + " accepts_input, env_keys, on_exit) values ('" + id(number)
                + "', 0, 'RUNNING', current_timestamp, current_timestamp, '" + "x".repeat((int) (number * 7919 % 700))
                + "', '/bin/sh', true, '/', false, '[]', 'LEAVE')";
    }
}
