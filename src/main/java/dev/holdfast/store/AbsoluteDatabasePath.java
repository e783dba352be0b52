package dev.holdfast.store;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.Priorities;
import jakarta.annotation.Priority;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Lets the data folder be given relative to the working directory, which H2 refuses. */
@Priority(Priorities.LIBRARY + 1000)
public final class AbsoluteDatabasePath implements ConfigSourceInterceptor {
    private static final String KEY = "quarkus.datasource.jdbc.url";
    private static final String SCHEME = "jdbc:h2:file:";

    @Override
    public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
        ConfigValue value = context.proceed(name);
        if (value == null || !name.equals(KEY) || value.getValue() == null) {
            return value;
        }
        return value.withValue(absolute(value.getValue()));
    }

    static String absolute(String url) {
        if (!url.startsWith(SCHEME)) {
            return url;
        }
        int settings = url.indexOf(';');
        int end = settings < 0 ? url.length() : settings;
        Path path = Path.of(url.substring(SCHEME.length(), end));
        return SCHEME + path.toAbsolutePath().normalize() + url.substring(end);
    }
}
