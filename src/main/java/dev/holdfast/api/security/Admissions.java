package dev.holdfast.api.security;

import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The streams and terminals that are open, each for as long as who opened it would be let in again, as the same: they
 * end when a session does, and when a token is removed or changed. Looked at at once after a sign-out, and every second
 * while there are any. Thread-safe.
 */
@Singleton
public final class Admissions {
    private static final Duration PACE = Duration.ofSeconds(1);
    private static final String KEY = Admissions.class.getName();

    private final Vertx vertx;
    /** Guarded by this, as is what follows. */
    private final Set<Held> open = new HashSet<>();

    private boolean looking;

    /** One of them, until it is closed. Closing it again does nothing. */
    public final class Held implements AutoCloseable {
        private final BooleanSupplier again;
        private final Runnable end;

        private Held(BooleanSupplier again, Runnable end) {
            this.again = again;
            this.end = end;
        }

        @Override
        public void close() {
            synchronized (Admissions.this) {
                open.remove(this);
            }
        }
    }

    public Admissions(Vertx vertx) {
        this.vertx = vertx;
    }

    /** @param again whether the same request would be let in now as it was; on any thread, without blocking */
    public static void admit(RoutingContext request, BooleanSupplier again) {
        request.put(KEY, again);
    }

    /** @param end what makes it end soon, without blocking, on any thread */
    public Held hold(RoutingContext request, Runnable end) {
        BooleanSupplier again = request.get(KEY);
        Held held = new Held(Objects.requireNonNull(again, "nobody was let in with this request"), end);
        synchronized (this) {
            open.add(held);
            if (!looking) {
                looking = true;
                vertx.setPeriodic(PACE.toMillis(), this::lookOrRest);
            }
        }
        return held;
    }

    /** Ends those whose callers are no longer let in. */
    public void look() {
        List<Held> those;
        synchronized (this) {
            those = List.copyOf(open);
        }
        those.stream().filter(held -> !held.again.getAsBoolean()).forEach(held -> {
            held.close();
            held.end.run();
        });
    }

    private void lookOrRest(long timer) {
        look();
        synchronized (this) {
            if (open.isEmpty()) {
                looking = false;
                vertx.cancelTimer(timer);
            }
        }
    }
}
