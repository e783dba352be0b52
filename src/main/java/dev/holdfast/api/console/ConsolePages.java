package dev.holdfast.api.console;

import dev.holdfast.api.security.ConsolePaths;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * The console's one page, at each of its addresses and where a person goes astray, and the headers of all that it is
 * made of ({@link ConsoleFiles}).
 */
@Singleton
public final class ConsolePages {
    private static final String INDEX = "/index.html";
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    static final int BEFORE_FILES = -1_000;
    private static final int BEHIND_THE_GATE = 9_000;
    /** Nothing from elsewhere, no script and no style within the page. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
            + "connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'";

    private final Buffer index = Buffer.buffer(
            ConsoleFiles.resource(INDEX).orElseThrow(() -> new IllegalStateException(INDEX + " is not there")));

    void register(@Observes Filters filters) {
        filters.register(ConsolePages::head, BEHIND_THE_GATE);
    }

    void register(@Observes Router router) {
        router.route()
                .method(HttpMethod.GET)
                .method(HttpMethod.HEAD)
                .order(BEFORE_FILES)
                .handler(this::page);
    }

    private static void head(RoutingContext context) {
        String path = context.normalizedPath();
        if (ConsolePaths.isPage(path) || ConsolePaths.isFile(path) || isAstray(context)) {
            HttpServerResponse response = context.response();
            response.putHeader("Content-Security-Policy", POLICY)
                    .putHeader("Referrer-Policy", "no-referrer")
                    .putHeader(
                            "Cache-Control",
                            ConsolePaths.isVersioned(path) ? "public, max-age=31536000, immutable" : "no-cache");
        }
        context.next();
    }

    private void page(RoutingContext context) {
        boolean astray = isAstray(context);
        if (astray || ConsolePaths.isPage(context.normalizedPath())) {
            context.response()
                    .setStatusCode(astray ? NOT_FOUND : OK)
                    .putHeader("Content-Type", "text/html;charset=UTF-8")
                    .end(index);
        } else {
            context.next();
        }
    }

    private static boolean isAstray(RoutingContext context) {
        return ConsolePaths.isAstray(context.normalizedPath(), context.request().headers());
    }
}
