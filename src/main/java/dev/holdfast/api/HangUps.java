package dev.holdfast.api;

import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/**
 * What arrived whole is carried out, also when its client has hung up since. When a connection closes, RESTEasy drops
 * what it has not done yet of a request ({@code ResteasyReactiveRequestContext.setupInitialMatchAndRestart}): of
 * clients that close right after they have asked, half would find nothing started. It registers that after a request
 * was matched, on the event loop; this runs there next, so that no close comes in between. An answer that nobody reads
 * is discarded by Vert.x. A request that only asks may be dropped.
 */
public final class HangUps {
    @ServerRequestFilter(nonBlocking = true)
    public void outlive(RoutingContext http) {
        if (!http.request().method().equals(HttpMethod.GET)) {
            http.response().closeHandler(null);
        }
    }
}
