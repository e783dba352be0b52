package dev.holdfast.store;

import static dev.holdfast.store.Statements.query;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.h2.api.ErrorCode;
import org.h2.jdbcx.JdbcDataSource;
import org.jboss.logging.Logger;

/**
 * Opens the database's file before anybody else does. One that is damaged is moved aside, to {@code
 * holdfast.mv.db.damaged-<time>}, and a new one is made: rows are an index that recovery rebuilds from the task
 * folders. A file that is well but in use, unreadable or on a full disk is left alone, and that is an error.
 */
final class StoreRescue {
    private static final Logger LOG = Logger.getLogger(StoreRescue.class);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final JdbcDataSource source = new JdbcDataSource();
    private final Path file;
    private final InstantSource clock;

    /** @param file the file that {@code url} names */
    StoreRescue(String url, String user, Path file, InstantSource clock) {
        source.setURL(url);
        source.setUser(user);
        this.file = file;
        this.clock = clock;
    }

    /**
     * @return a connection to a database that every table of can be read; as long as it is open, so is the file
     * @throws SQLException when the file cannot be opened for a reason that is not its own
     * @throws IOException when there is something else in its place, or it cannot be moved aside
     */
    Connection open() throws SQLException, IOException {
        if (!Files.exists(file)) {
            LOG.infof("There is no database yet; making %s", file);
            return probed();
        }
        if (!Files.isRegularFile(file)) {
            throw new IOException("it is no file");
        }
        // What failed once may have failed for the moment; what is damaged fails again.
        for (boolean again = false; ; again = true) {
            try {
                return notEmpty(probed());
            } catch (SQLException failure) {
                if (!damaged(failure)) {
                    throw failure;
                }
                if (again) {
                    moveAside(failure);
                    return probed();
                }
            }
        }
    }

    /** H2 takes a file of which it recognises no more than the header as new. */
    private Connection notEmpty(Connection connection) throws SQLException {
        if (tables(connection).isEmpty()) {
            LOG.warnf("The database %s held no tables; its rows are made again from the task folders.", file);
        }
        return connection;
    }

    private Connection probed() throws SQLException {
        Connection connection = source.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("set lazy_query_execution 1"); // else H2 writes what is many rows to a file first
            for (String table : tables(connection)) {
                readAll(statement, table);
            }
            return connection;
        } catch (SQLException e) {
            JdbcTaskStore.close(connection, e);
            throw e;
        }
    }

    private static List<String> tables(Connection connection) throws SQLException {
        String names = "select table_name from information_schema.tables"
                + " where table_schema = 'PUBLIC' and table_type = 'BASE TABLE'";
        return query(connection, names, row -> row.getString(1));
    }

    /** Reads every page of the table: damage in the middle of the file shows only when it is read. */
    private static void readAll(Statement statement, String table) throws SQLException {
        try (ResultSet rows = statement.executeQuery("select * from \"" + table + "\"")) {
            while (rows.next()) {
                rows.getObject(1);
            }
        }
    }

    private static boolean damaged(SQLException e) {
        return !Thread.currentThread().isInterrupted() && !has(ClosedChannelException.class, e) && speaksOfTheFile(e);
    }

    private static boolean speaksOfTheFile(SQLException e) {
        return switch (e.getErrorCode()) {
            case ErrorCode.DATABASE_ALREADY_OPEN_1,
                    ErrorCode.WRONG_USER_OR_PASSWORD,
                    ErrorCode.OUT_OF_MEMORY,
                    ErrorCode.DATABASE_IS_CLOSED,
                    ErrorCode.DATABASE_CALLED_AT_SHUTDOWN,
                    ErrorCode.CONNECTION_BROKEN_1,
                    ErrorCode.OBJECT_CLOSED,
                    ErrorCode.STATEMENT_WAS_CANCELED,
                    ErrorCode.LOCK_TIMEOUT_1,
                    ErrorCode.DATABASE_IS_READ_ONLY -> false;
            // A file that was cut off reads as an I/O error, as a failing disk does; the cause tells them apart.
            case ErrorCode.IO_EXCEPTION_1, ErrorCode.IO_EXCEPTION_2 -> has(EOFException.class, e);
            default -> true;
        };
    }

    private static boolean has(Class<? extends IOException> kind, Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    private void moveAside(SQLException e) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".damaged-" + TIME.format(clock.instant()));
        Files.move(file, aside);
        LOG.warnf(
                "The database %s is damaged (%s). It is kept as %s, and a new one is made from the task folders.",
                file, e.getMessage(), aside);
    }
}
