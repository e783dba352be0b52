package dev.holdfast.api;

import dev.holdfast.api.problem.Failures;
import dev.holdfast.api.problem.Problem;
import dev.holdfast.api.problem.ProblemAnswer;
import dev.holdfast.api.problem.ProblemException;
import dev.holdfast.api.security.Admissions;
import dev.holdfast.api.security.RequestCaller;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.ToolRegistry;
import io.quarkiverse.mcp.server.runtime.ConnectionManager;
import io.quarkiverse.mcp.server.runtime.McpMessageHandler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextInternal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to the library that speaks MCP, which has a server for each profile below {@code /mcp}. What lies there is
 * reached through {@code /mcp?profile=} alone: the library's older transport is not ours to offer. A session is its
 * beginner's: to any other caller it is not there. One of a former server goes on for whoever sends its id, without
 * what that knew of the client: the token says who it is, and few clients begin another by themselves. On the event
 * loop.
 */
final class McpDoor {
    private static final String PATH = "/mcp";
    private static final Set<HttpMethod> METHODS = Set.of(HttpMethod.POST, HttpMethod.GET, HttpMethod.DELETE);
    private static final String CHOSEN = McpDoor.class.getName();
    private static final List<String> VERSIONS = McpMessageHandler.SUPPORTED_PROTOCOL_VERSIONS;
    private static final String JSON = "application/json";
    private static final String STREAM = "text/event-stream";
    private static final String SESSION = "Mcp-Session-Id";
    /** Of a client that begins another session where its own is not there. */
    private static final String RENEWS = "Holdfast-Renews-Session";
    /** How many sessions are kept in mind, those that have ended among them. */
    private static final int MOST = 10_000;

    /** As the protocol wants it of a GET that opens no stream. */
    private static final Problem NO_STREAM = Problem.http(
            405,
            "method_not_allowed",
            "A GET opens the stream of a session: it needs " + SESSION + " and `Accept: " + STREAM + "`.",
            "Begin with a POST of `initialize`, which gives the session's id.",
            Map.of("Allow", "POST, DELETE"));

    private final ConnectionManager sessions;
    private final Supplier<ToolRegistry> tools;
    private final Admissions admissions;
    /** Who began each session, by its id; nobody once it was ended. */
    private final Map<String, Optional<Actor>> beginners = new ConcurrentHashMap<>();

    McpDoor(ConnectionManager sessions, Supplier<ToolRegistry> tools, Admissions admissions) {
        this.sessions = sessions;
        this.tools = tools;
        this.admissions = admissions;
    }

    /** @param path normalised */
    static boolean leadsTo(String path) {
        return path.equals(PATH) || path.startsWith(PATH + "/");
    }

    /** Finds the profile's server, before anything of the body is read. */
    void choose(RoutingContext context) {
        String path = context.normalizedPath();
        if (!leadsTo(path) || context.get(CHOSEN) != null) {
            context.next();
        } else if (!path.equals(PATH)) {
            context.fail(404);
        } else if (!METHODS.contains(context.request().method())) {
            ProblemAnswer.send(context.request(), Failures.notAllowed(PATH));
        } else if (!isTheirs(context)) {
            context.fail(404);
        } else {
            try {
                Profile profile = profile(context);
                requireHeaders(context.request());
                go(context, profile);
            } catch (Refusal unknown) {
                ProblemAnswer.send(context.request(), Problem.of(unknown));
            } catch (ProblemException noStream) {
                ProblemAnswer.send(context.request(), noStream.problem());
            }
        }
    }

    /** Whatever else is in the address: gateways put their own there. */
    private static Profile profile(RoutingContext context) {
        List<String> given = context.queryParam("profile");
        return Profile.named(given.isEmpty() ? null : given.getLast());
    }

    /** Whose token is removed meanwhile is told nothing more: a call may wait for minutes, and a stream has no end. */
    private void go(RoutingContext context, Profile profile) {
        Admissions.Held held =
                admissions.hold(context, () -> context.request().connection().close());
        context.addEndHandler(answered -> held.close());
        HttpMethod method = context.request().method();
        String session = context.request().getHeader(SESSION);
        if (method.equals(HttpMethod.DELETE) && session != null) {
            keep(session, Optional.empty());
        }
        if (method.equals(HttpMethod.POST) || !isFormer(context)) {
            choose(context, profile);
        } else if (method.equals(HttpMethod.GET)) {
            throw new ProblemException(NO_STREAM);
        } else {
            context.response().end();
        }
    }

    /** False also of a session that never was, or has ended. */
    private boolean isTheirs(RoutingContext context) {
        String session = context.request().getHeader(SESSION);
        Optional<Actor> caller = Optional.of(RequestCaller.of(context));
        return session == null
                || (beginners.getOrDefault(session, caller).equals(caller)
                        && (sessions.has(session) || isFormer(context)));
    }

    /** Whether its session was a former server's, or was idle too long, and its client counts on it all the same. */
    private boolean isFormer(RoutingContext context) {
        String session = context.request().getHeader(SESSION);
        return session != null
                && !sessions.has(session)
                && isOne(session)
                && !context.request().headers().contains(RENEWS);
    }

    /** Whether it is a session's id, as the library makes them. */
    private static boolean isOne(String session) {
        try {
            String id = new String(Base64.getUrlDecoder().decode(session), StandardCharsets.US_ASCII);
            return UUID.fromString(id).toString().equals(id);
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    /** Keeps whose the session is that this request begins, if it does. */
    private void keep(RoutingContext context) {
        context.addHeadersEndHandler(answered -> {
            String begun = context.response().headers().get(SESSION);
            if (begun != null) {
                keep(begun, Optional.of(RequestCaller.of(context)));
            }
        });
    }

    private void keep(String session, Optional<Actor> beginner) {
        if (beginners.size() >= MOST) {
            beginners.keySet().removeIf(one -> !sessions.has(one));
        }
        beginners.put(session, beginner);
    }

    /** The library refuses what lacks them without a word. */
    private static void requireHeaders(HttpServerRequest request) {
        String accept = String.join(", ", request.headers().getAll("Accept"));
        boolean stream = accept.contains(STREAM);
        if (request.method().equals(HttpMethod.GET)
                && !(stream && request.headers().contains(SESSION))) {
            throw new ProblemException(NO_STREAM);
        }
        if (request.method().equals(HttpMethod.POST) && !(stream && accept.contains(JSON))) {
            throw Refusal.invalid(
                    "Accept",
                    "must name both " + JSON + " and " + STREAM,
                    "Send `Accept: " + JSON + ", " + STREAM + "`: an answer may be either.");
        }
        String version = request.getHeader("Mcp-Protocol-Version");
        if (version != null && !VERSIONS.contains(version)) {
            throw Refusal.invalid(
                    "Mcp-Protocol-Version",
                    "is none that this server speaks",
                    "Send the version that `initialize` answered, one of " + String.join(", ", VERSIONS) + ".");
        }
    }

    private static void choose(RoutingContext context, Profile profile) {
        if (profile == Profile.HOLDFAST) {
            context.next();
        } else {
            context.put(CHOSEN, profile);
            context.reroute(PATH + "/" + profile);
        }
    }

    /** What is said of a tool that the profile has not; null of one that it has. */
    private @Nullable String unknown(RoutingContext context, String name) {
        Profile chosen = context.get(CHOSEN);
        Profile profile = chosen == null ? Profile.HOLDFAST : chosen;
        List<String> names = tools.get().of(profile).stream()
                .map(tool -> tool.name().replace('.', '_'))
                .toList();
        return names.contains(name)
                ? null
                : "There is no tool `" + name + "` in the profile `" + profile + "`, which has "
                        + String.join(", ", names) + ". The address chooses another profile: /mcp?profile=NAME.";
    }

    /** Gives the library the message, or answers it in its place. */
    void read(RoutingContext context) {
        boolean message = context.request().method().equals(HttpMethod.POST);
        if (!message || !leadsTo(context.normalizedPath())) {
            context.next();
            return;
        }
        boolean session = context.request().getHeader(SESSION) != null;
        keep(context);
        // To the library an answer is to the question of that number, in whosever session it comes, and of which
        // server.
        boolean asked = RequestCaller.of(context).role() == Role.OPERATOR && !isFormer(context);
        switch (McpMessage.of(Bodies.read(context), session, asked, name -> unknown(context, name))) {
            case McpMessage.Taken(Buffer json) -> {
                var internal = (RoutingContextInternal) context;
                internal.visitHandler(RoutingContextInternal.BODY_HANDLER).setBody(json);
                context.next();
            }
            case McpMessage.Answered(int status, Buffer json) ->
                context.response()
                        .setStatusCode(status)
                        .putHeader("Content-Type", "application/json")
                        .end(json);
            case McpMessage.Ignored _ -> context.response().setStatusCode(202).end();
        }
    }
}
