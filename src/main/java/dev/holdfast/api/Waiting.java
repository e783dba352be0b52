package dev.holdfast.api;

import dev.holdfast.runtime.call.OpenCalls;
import dev.holdfast.runtime.call.Patience;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.function.Supplier;

/** Has requests wait so that a server that stops answers them at once, and stays until they have their answers. Thread-safe. */
@Singleton
public final class Waiting {
    private final OpenCalls calls;

    @Inject
    Waiting(OpenCalls calls) {
        this.calls = calls;
    }

    /** Runs {@code work} on this thread; its waits end early when the server stops, and go on when the client is gone. */
    <T> T during(RoutingContext http, Supplier<T> work) {
        return during(http, new Patience(), work);
    }

    /** The same, of a client that may stop waiting. */
    <T> T during(RoutingContext http, Patience patience, Supplier<T> work) {
        OpenCalls.Open call = calls.begin(patience::end);
        http.addEndHandler(answered -> call.close());
        try {
            return patience.during(work);
        } finally {
            if (http.response().closed()) {
                call.close(); // nobody is answered
            }
        }
    }

    /** A stream that has no end of its own; to be closed at its end. */
    OpenCalls.Open stream(Runnable end) {
        return calls.begin(end);
    }
}
