package dev.holdfast.api.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.Acting;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ContextNotActiveException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whom a thread works for, and that it is nobody where nobody said so. */
class RequestCallerTest {
    private static final Actor AGENT = new Actor("ci", Role.AGENT, Map.of(), Mode.OPEN, null);
    private static final Actor OBSERVER = new Actor("eye", Role.OBSERVER, Map.of(), Mode.OPEN, null);

    private final CurrentVertxRequest nobody = new CurrentVertxRequest();
    private final RequestCaller caller = new RequestCaller(nobody);

    @Test
    void aThreadThatServesNoRequestWorksForNobody() {
        CurrentVertxRequest outside = new CurrentVertxRequest() {
            @Override
            public RoutingContext getCurrent() {
                throw new ContextNotActiveException("outside");
            }
        };
        for (RequestCaller one : List.of(caller, new RequestCaller(outside))) {
            assertThatThrownBy(one::actor).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(one::mayChange).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void workIsCarriedToAnotherThreadForTheSame() throws Exception {
        Supplier<Actor> work = Acting.as(AGENT, () -> caller.carrying(caller::actor));
        CompletableFuture<Actor> there = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> there.complete(work.get()));

        assertThat(there.get(60, TimeUnit.SECONDS)).isEqualTo(AGENT);
        assertThatThrownBy(caller::actor).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void onlyWhoMayLookAloneIsRefusedAChange() {
        Acting.as(AGENT, caller::mayChange);
        Acting.as(Actor.OPERATOR, caller::mayChange);
        assertThatThrownBy(() -> Acting.as(OBSERVER, caller::mayChange))
                .isInstanceOfSatisfying(Refusal.class, refusal -> {
                    assertThat(refusal.kind()).isEqualTo(ErrorKind.FORBIDDEN);
                    assertThat(refusal.recoveryHint()).contains("agent's or an operator's");
                });
    }

    @Test
    void whatItNamesIsItsOwn() {
        assertThat(Acting.as(AGENT, () -> caller.own("main"))).isNotEqualTo("main");
        assertThat(Acting.as(Actor.OPERATOR, () -> caller.own("main"))).isEqualTo("main");
    }
}
