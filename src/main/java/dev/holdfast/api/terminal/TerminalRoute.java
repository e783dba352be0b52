package dev.holdfast.api.terminal;

import dev.holdfast.api.Reply;
import dev.holdfast.api.problem.Failures;
import dev.holdfast.api.problem.Problem;
import dev.holdfast.api.problem.ProblemAnswer;
import dev.holdfast.api.security.Admissions;
import dev.holdfast.api.security.RequestCaller;
import dev.holdfast.api.security.Subprotocols;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.UnknownTasks;
import dev.holdfast.runtime.call.Acting;
import dev.holdfast.runtime.call.OpenCalls;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.control.Terminals;
import dev.holdfast.task.TaskId;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Map;

/**
 * {@code WS /v1/tasks/{id}/terminal}. The terminal is opened first, on a virtual thread, so that a task that has none
 * is refused with a problem document; only then the connection becomes a WebSocket.
 */
@Singleton
public record TerminalRoute(
        Terminals terminals, TaskControl control, UnknownTasks unknown, OpenCalls calls, Admissions admissions) {
    private static final int BEFORE_RESOURCES = -1_000;
    private static final int UPGRADE_REQUIRED = 426;

    void register(@Observes Router router) {
        router.get("/v1/tasks/:id/terminal").order(BEFORE_RESOURCES).handler(this::handle);
    }

    private void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        if (!"websocket".equalsIgnoreCase(request.getHeader("Upgrade"))) {
            ProblemAnswer.send(request, notAnUpgrade());
            return;
        }
        request.pause();
        Context loop = context.vertx().getOrCreateContext();
        Subprotocols.offerKnown(request.headers()); // the gate has looked at them
        Actor actor = RequestCaller.of(context);
        Thread.ofVirtual().name("terminal").start(() -> Acting.as(actor, () -> open(context, loop, actor)));
    }

    private void open(RoutingContext context, Context loop, Actor actor) {
        HttpServerRequest request = context.request();
        var connection = new WebSocketConnection((ConnectionBase) request.connection(), loop);
        TerminalSession session;
        try {
            TaskId id = Reply.id(String.valueOf(context.pathParam("id")));
            session = new TerminalSession(id, control, actor.role().changes(), connection);
            session.attach(terminals.open(id, session));
        } catch (RuntimeException e) {
            Problem problem = Failures.problem(e instanceof Refusal refusal ? unknown.completed(refusal) : e);
            loop.runOnContext(on -> {
                request.resume();
                ProblemAnswer.send(request, problem);
            });
            return;
        }
        loop.runOnContext(on -> connection.upgrade(request, session));
        try (OpenCalls.Open _ = calls.begin(session::leave);
                Admissions.Held _ = admissions.hold(context, session::forbid)) {
            session.run();
        }
    }

    /** Stopped at the channel: Vert.x's own pause takes sixteen more frames, of up to a MiB each. */
    private record WebSocketConnection(ConnectionBase http, Context loop) implements TerminalSession.Connection {
        /** Of a client that has left meanwhile Vert.x tells no failure: it throws. On the event loop. */
        void upgrade(HttpServerRequest request, TerminalSession session) {
            var _ = http.channel().closeFuture().addListener(closed -> session.end());
            if (http.channel().isActive()) {
                http.channel().pipeline().addBefore(http.channelHandlerContext().name(), null, new TooBig(session));
                request.toWebSocket().onSuccess(session::connected).onFailure(refused -> {
                    request.endHandler(null); // else what is left of it makes a WebSocket all the same
                    session.end();
                });
            }
        }

        @Override
        public void hangUp() {
            http.close();
        }

        @Override
        public void reads(boolean more) {
            if (more) {
                http.doResume();
            } else {
                http.doPause();
            }
        }

        @Override
        public void later(Runnable task) {
            loop.runOnContext(on -> task.run());
        }
    }

    /**
     * For a frame that is too big Vert.x closes the connection at once, and a client who still sends finds it reset
     * before he reads why. So Vert.x is not told: the connection is kept until he has gone, or had his time to read,
     * and what he sends is read and dropped.
     */
    private static final class TooBig extends ChannelInboundHandlerAdapter {
        private final TerminalSession session;

        TooBig(TerminalSession session) {
            this.session = session;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext channel, Throwable failure) {
            if (failure instanceof CorruptedWebSocketFrameException bad
                    && bad.closeStatus().equals(WebSocketCloseStatus.MESSAGE_TOO_BIG)) {
                session.tooBig();
            } else {
                channel.fireExceptionCaught(failure);
            }
        }
    }

    private static Problem notAnUpgrade() {
        return Problem.http(
                UPGRADE_REQUIRED,
                "upgrade_required",
                "A terminal is a WebSocket.",
                "Connect with a WebSocket client.",
                Map.of("Upgrade", "websocket", "Connection", "Upgrade"));
    }
}
