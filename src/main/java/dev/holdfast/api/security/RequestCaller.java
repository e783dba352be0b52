package dev.holdfast.api.security;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Acting;
import dev.holdfast.runtime.call.Caller;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** The bearer of the token that a request came with. */
@Singleton
public record RequestCaller(CurrentVertxRequest request) implements Caller {
    private static final String KEY = RequestCaller.class.getName();

    /** Whose request it is from now on. */
    public static void admit(RoutingContext context, Actor actor) {
        context.put(KEY, actor);
    }

    /** @throws IllegalStateException of a request that nobody was found to make */
    public static Actor of(@Nullable RoutingContext context) {
        Actor actor = context == null ? null : context.get(KEY);
        if (actor == null) {
            throw new IllegalStateException("this thread works for nobody who called");
        }
        return actor;
    }

    @Override
    public Actor actor() {
        return Acting.actor().orElseGet(this::ofRequest);
    }

    private Actor ofRequest() {
        try {
            return of(request.getCurrent());
        } catch (ContextNotActiveException none) {
            return of(null);
        }
    }
}
