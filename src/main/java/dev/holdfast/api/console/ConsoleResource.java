package dev.holdfast.api.console;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.api.Bodies;
import dev.holdfast.api.Reply;
import dev.holdfast.api.security.Admissions;
import dev.holdfast.api.security.Gate;
import dev.holdfast.api.security.OneTimeKeys;
import dev.holdfast.api.security.SessionCookie;
import dev.holdfast.api.security.SessionHalves;
import dev.holdfast.api.security.Sessions;
import dev.holdfast.message.body.SignIn;
import dev.holdfast.message.view.ConsoleJson;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Signing a browser in and out. */
@Path("/v1/console")
@RunOnVirtualThread
@Tag(name = "Console")
public final class ConsoleResource {
    private final Sessions sessions;
    private final OneTimeKeys keys;
    private final Admissions admissions;
    private final Caller caller;

    public ConsoleResource(Sessions sessions, OneTimeKeys keys, Admissions admissions, Caller caller) {
        this.sessions = sessions;
        this.keys = keys;
        this.admissions = admissions;
        this.caller = caller;
    }

    @GET
    @Path("session")
    @Operation(summary = "Tell who calls, with a token or a browser's session")
    @APIResponse(
            responseCode = "200",
            description = "Who calls",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = ConsoleJson.Session.class)))
    public Response whoAmI(@Context RoutingContext http) {
        MultiMap headers = http.request().headers();
        Instant ends = headers.contains("Authorization")
                ? null
                : SessionHalves.of(headers)
                        .flatMap(sessions::find)
                        .map(Sessions.SignedIn::ends)
                        .orElse(null);
        return Reply.json(ConsoleJson.Session.of(caller.actor(), ends));
    }

    @POST
    @Path("session")
    @Operation(
            summary = "Sign a browser in, for 12 hours, with a cookie and a secret of its page",
            description = "What changes anything needs both: the secret in the header `Holdfast-Page-Secret`, or of a"
                    + " WebSocket as the subprotocol `page.<page_secret>`.")
    @RequestBody(content = @Content(mediaType = JSON, schema = @Schema(implementation = SignIn.class)))
    @APIResponse(
            responseCode = "200",
            description = "It is signed in, as whoever bears the token or asked for the key",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = ConsoleJson.SignedIn.class)))
    public Response signIn(@Context RoutingContext http) {
        SignIn given = Bodies.use(http, SignIn::parse);
        HttpServerRequest request = http.request();
        Optional<SessionHalves> halves = given.token() == null
                ? keys.use(String.valueOf(given.key()), address(request))
                : sessions.begin(given.token());
        if (halves.isEmpty()) {
            throw given.token() == null ? noSuchKey() : noSuchToken();
        }
        String cookie = SessionCookie.kept(request.headers(), halves.get(), isHttps(request));
        return Response.fromResponse(Reply.json(new ConsoleJson.SignedIn(
                        Objects.requireNonNull(halves.get().page()))))
                .header("Set-Cookie", cookie)
                .build();
    }

    @DELETE
    @Path("session")
    @Operation(summary = "End the browser's session, for every copy of its cookie, with its streams and terminals")
    @APIResponse(responseCode = "204", description = "It is signed out, or never was in")
    public Response signOut(@Context RoutingContext http) {
        MultiMap headers = http.request().headers();
        SessionHalves.of(headers).ifPresent(sessions::end);
        admissions.look();
        return Response.noContent()
                .header("Set-Cookie", SessionCookie.forgotten(headers))
                .build();
    }

    @POST
    @Path("keys")
    @Operation(
            summary = "Make a key that signs a browser in as the caller, once and within a minute",
            description = "The browser has to call from the same address.")
    @APIResponse(
            responseCode = "200",
            description = "The key, and the address to open",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = ConsoleJson.Key.class)))
    public Response makeConsoleKey(@Context RoutingContext http) {
        HttpServerRequest request = http.request();
        String token = Optional.ofNullable(request.getHeader("Authorization"))
                .flatMap(Gate::token)
                .orElseThrow(ConsoleResource::bySession);
        OneTimeKeys.Made made = keys.make(token, address(request));
        String scheme = request.isSSL() ? "https" : "http";
        String url = scheme + "://" + request.getHeader("Host") + "/#key=" + made.key();
        return Reply.json(new ConsoleJson.Key(made.key(), made.ends(), url));
    }

    private static String address(HttpServerRequest request) {
        return request.remoteAddress().hostAddress();
    }

    /** Also of a browser behind a proxy, which names its own origin with every POST. */
    private static boolean isHttps(HttpServerRequest request) {
        String origin = request.getHeader("Origin");
        return request.isSSL() || (origin != null && origin.startsWith("https://"));
    }

    private static Refusal noSuchKey() {
        return new Refusal(
                ErrorKind.UNAUTHORIZED,
                "This key opens nothing: it was used, is older than a minute, was asked for from another address, or is of"
                        + " another server.",
                "Run `holdfast console` again, and open the address that it prints.");
    }

    private static Refusal noSuchToken() {
        return new Refusal(
                ErrorKind.UNAUTHORIZED,
                "This is none of this server's tokens.",
                "Run `holdfast console`, or take the token from the file `token` of the data folder.");
    }

    private static Refusal bySession() {
        return new Refusal(
                ErrorKind.FORBIDDEN,
                "A session makes no keys: it would outlive itself.",
                "Ask with Authorization: Bearer <token>, as `holdfast console` does.");
    }
}
