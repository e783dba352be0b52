package dev.holdfast.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** A database as the application's own settings make it, without the application. */
public record DatabaseFile(Path dataDir) {
    static final String USER = "holdfast";

    Path path() {
        return dataDir.resolve("holdfast.mv.db");
    }

    String url() {
        Properties properties = new Properties();
        try (InputStream in = DatabaseFile.class.getResourceAsStream("/application.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties
                .getProperty("quarkus.datasource.jdbc.url")
                .replace("${holdfast.data-dir}", dataDir.toString());
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), USER, "");
    }

    void makeTables() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("runscript from 'classpath:db/migration/V1__tasks.sql'");
        }
    }
}
