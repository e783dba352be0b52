package dev.holdfast.api;

import dev.holdfast.api.security.Admissions;
import dev.holdfast.runtime.call.OpenCalls;
import dev.holdfast.runtime.call.Patience;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Has requests wait so that a server that stops answers them at once, and stays until they have their answers.
 * Thread-safe.
 */
@Singleton
public record Waiting(OpenCalls calls, Admissions admissions) {
    /**
     * Runs {@code work} on this thread; its waits end early when the server stops or its caller's token is removed, and
     * go on when the client is gone.
     */
    <T> T during(RoutingContext http, Supplier<T> work) {
        return during(http, new Patience(), work);
    }

    /** The same where nobody but its client waits: the waits end too when that hangs up. */
    <T> T whileThere(RoutingContext http, Supplier<T> work) {
        Patience patience = new Patience();
        http.addEndHandler(end -> {
            if (end.failed()) {
                patience.end();
            }
        });
        if (http.response().closed()) {
            patience.end(); // before anybody listened
        }
        return during(http, patience, work);
    }

    /** The same, of a client that may stop waiting. */
    <T> T during(RoutingContext http, Patience patience, Supplier<T> work) {
        OpenCalls.Open call = calls.begin(patience::end);
        Admissions.Held held = admissions.hold(http, patience::end);
        var worked = new AtomicBoolean();
        http.addEndHandler(answered -> {
            if (worked.get()) {
                call.close();
            }
        });
        try {
            return patience.during(work);
        } finally {
            held.close();
            worked.set(true);
            if (http.response().closed()) {
                call.close(); // the client went first, and nobody is answered
            }
        }
    }

    /** Completes when the client is gone; {@link HangUps} has left the place of this handler free. */
    static CompletableFuture<Void> hungUp(RoutingContext http) {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        http.response().closeHandler(closed -> gone.complete(null));
        if (http.response().closed()) {
            gone.complete(null);
        }
        return gone;
    }

    /**
     * Has a stream that has no end of its own end with the server, and with its caller's leave; to be run at its end.
     */
    Runnable stream(RoutingContext http, Runnable end) {
        OpenCalls.Open call = calls.begin(end);
        Admissions.Held held = admissions.hold(http, end);
        return () -> {
            call.close();
            held.close();
        };
    }
}
