package dev.holdfast.api;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.api.problem.ProblemAnswer;
import dev.holdfast.api.security.Admissions;
import dev.holdfast.api.security.Callers;
import dev.holdfast.api.security.Gate;
import dev.holdfast.api.security.RequestCaller;
import dev.holdfast.api.security.Sessions;
import dev.holdfast.api.security.Tokens;
import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.tool.ToolRegistry;
import io.quarkiverse.mcp.server.runtime.ConnectionManager;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.impl.HttpServerRequestInternal;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** What every request passes first, on the event loop: the gate, before anything of it is read, then its body. */
@Singleton
public final class Doors {
    private static final int FIRST = 10_000;
    /**
     * Of an address that cannot be read at all (RFC 3986), before anything takes it apart. Quarkus would look at it in
     * the same way, and answer a bare 400: that is switched off where the server begins.
     */
    private static final Problem UNREADABLE = Problem.of(Refusal.invalid(
            "",
            "The request's URI cannot be read.",
            "Write every byte that a URI cannot hold, `%` itself too, as a percent sign and two hexadecimal digits."));

    /** What has no template and is counted by its path all the same. */
    private static final Pattern COUNTED =
            Pattern.compile("/|/mcp|/q/(metrics|openapi|health(/(live|ready|started|well))?)");
    /** Where Quarkus' metrics look for what a path is counted as, and its resources put it later. */
    private static final String TEMPLATE = "UrlPathTemplate";

    private final Gate gate;
    private final Bodies bodies;
    private final McpDoor mcp;

    public Doors(
            HoldfastConfig config,
            Tokens tokens,
            Sessions sessions,
            ConnectionManager mcpSessions,
            Instance<ToolRegistry> tools,
            Admissions admissions,
            @ConfigProperty(name = "quarkus.http.host", defaultValue = "127.0.0.1") String boundHost) {
        Callers callers = new Callers(
                boundHost,
                config.http().allowedHosts().orElse(List.of()),
                config.http().allowedOrigins().orElse(List.of()));
        this.gate = new Gate(callers, tokens, sessions);
        this.bodies =
                new Bodies(config.limits().body(), new BodyRoom(config.limits().bodies()));
        this.mcp = new McpDoor(mcpSessions, tools::get, admissions);
    }

    void register(@Observes Filters filters) {
        filters.register(this::guard, FIRST);
        filters.register(mcp::choose, FIRST - 1);
        filters.register(bodies, FIRST - 2);
        filters.register(mcp::read, FIRST - 3);
    }

    private void guard(RoutingContext context) {
        HttpServerRequest request = context.request();
        boundSeries((HttpServerRequestInternal) request);
        try {
            new URI(request.uri());
        } catch (URISyntaxException unreadable) {
            ProblemAnswer.send(request, UNREADABLE);
            return;
        }
        Gate.Request asked = new Gate.Request(
                request.method().name(),
                context.normalizedPath(),
                request.headers(),
                request.localAddress().port());
        String origin = request.getHeader("Origin");
        if (origin != null && gate.callers().originAllowed(origin, asked.port())) {
            share(request.response(), origin);
        }
        Gate.Passage passage = gate.decide(asked);
        switch (passage) {
            case Gate.Passage.Preflight() ->
                request.response()
                        .putHeader("Access-Control-Allow-Methods", "*")
                        .putHeader(
                                "Access-Control-Allow-Headers",
                                request.headers().getAll("Access-Control-Request-Headers"))
                        .setStatusCode(204)
                        .end();
            case Gate.Passage.Refused(Problem problem) -> ProblemAnswer.send(request, problem);
            case Gate.Passage.Admitted(Actor actor) -> {
                if (actor != null) {
                    RequestCaller.admit(context, actor);
                    Admissions.admit(context, () -> passage.equals(gate.decide(asked)));
                }
                request.response()
                        .putHeader("X-Content-Type-Options", "nosniff")
                        .putHeader("Cache-Control", "no-store");
                context.next();
            }
        }
    }

    /**
     * What leads to no resource is counted as one: by its path each would be a series of its own, whoever picks it, and
     * behind the first hundred nothing new is counted.
     */
    private static void boundSeries(HttpServerRequestInternal request) {
        String path = request.path(); // as it was sent, which is what would be counted
        if (path == null || !COUNTED.matcher(path).matches()) {
            request.context().putLocal(TEMPLATE, "/{path}");
        }
    }

    /** Lets a page of another origin read the answer. Without credentials: it calls with a token, never by session. */
    private static void share(HttpServerResponse response, String origin) {
        response.putHeader("Access-Control-Allow-Origin", origin)
                .putHeader("Access-Control-Expose-Headers", "*")
                .putHeader("Vary", "Origin");
    }
}
