package dev.holdfast.api.console;

import dev.holdfast.api.security.ConsolePaths;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the console's page is made of: scripts, styles and its sign, from the class path, kept in memory once they were
 * asked for. Quarkus would lay them out in a folder below /tmp that every user may write, serve what is found there,
 * and leave it behind when it is killed.
 */
@Singleton
public final class ConsoleFiles {
    private static final Map<String, String> TYPES = Map.of(
            "js", "text/javascript;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "svg", "image/svg+xml;charset=UTF-8");
    private static final int NOT_MODIFIED = 304;

    private final Map<String, Content> known = new ConcurrentHashMap<>();

    private record Content(Buffer bytes, String type, String tag) {}

    void register(@Observes Router router) {
        router.route()
                .method(HttpMethod.GET)
                .method(HttpMethod.HEAD)
                .order(ConsolePages.BEFORE_FILES)
                .handler(this::file);
    }

    private void file(RoutingContext context) {
        String path = context.normalizedPath();
        Content content = ConsolePaths.isFile(path) ? known.computeIfAbsent(path, ConsoleFiles::read) : null;
        if (content == null) {
            context.next();
            return;
        }
        HttpServerResponse response = context.response().putHeader(HttpHeaders.ETAG, content.tag);
        if (content.tag.equals(context.request().getHeader(HttpHeaders.IF_NONE_MATCH))) {
            response.setStatusCode(NOT_MODIFIED).end();
        } else {
            response.putHeader(HttpHeaders.CONTENT_TYPE, content.type).end(content.bytes);
        }
    }

    /** Null where nothing of the kind is. */
    private static @Nullable Content read(String path) {
        String type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
        return type == null
                ? null
                : resource(path)
                        .map(bytes -> new Content(Buffer.buffer(bytes), type, tag(bytes)))
                        .orElse(null);
    }

    /** @param path with its slash in front */
    static Optional<byte[]> resource(String path) {
        try (InputStream in = ConsoleFiles.class.getResourceAsStream("/META-INF/resources" + path)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tag(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return '"' + Long.toHexString(sum.getValue()) + '"';
    }
}
