package dev.holdfast.keeper;

import dev.holdfast.keeper.message.MalformedMessageException;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.keeper.tty.TerminalSpec;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Carries out what a connection asks for, on the loop's thread; nothing here waits. */
record Requests(Terminals terminals) {
    private static final long LONGEST_WAIT_MS = TimeUnit.DAYS.toMillis(365);
    private static final long DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * A line that makes no sense is answered with an error, as far as it can be. What wants an answer is not done when
     * nobody is there to hear it: a server that gave it up, or the next one, has said that it was not done.
     */
    void handle(Connection connection, byte[] line) {
        Message request = null;
        try {
            request = Message.parse(line);
            if (!connection.hungUp() || !request.has(Protocol.NUMBER)) {
                handle(connection, request);
            }
        } catch (IOException | MalformedMessageException | IllegalArgumentException refused) {
            connection.send(answer(request).with(Protocol.ERROR, String.valueOf(refused.getMessage())));
        }
    }

    private void handle(Connection connection, Message request) throws IOException {
        switch (request.text(Protocol.OP)) {
            case Protocol.START -> start(connection, request);
            case Protocol.WRITE -> write(connection, request);
            case Protocol.RESIZE -> {
                Terminal terminal = terminal(request);
                terminal.resize((int) request.number(Protocol.ROWS), (int) request.number(Protocol.COLS));
                connection.send(ok(request));
            }
            case Protocol.ATTACH -> {
                Terminal terminal = terminal(request);
                connection.watched().values().removeIf(Terminal::closed);
                connection.watched().put(request.text(Protocol.ID), terminal);
                terminal.attach(connection, ok(request));
            }
            case Protocol.SCREEN -> {
                Message answer = ok(request);
                terminal(request).show(answer);
                connection.send(answer);
            }
            case Protocol.DETACH -> detach(connection, request);
            case Protocol.DRAIN ->
                terminal(request)
                        .drain(new Drain(
                                System.nanoTime() + DRAIN_NANOS,
                                stored -> connection.send(
                                        stored ? ok(request) : ok(request).with(Protocol.UNSTORED, true))));
            case Protocol.LIST ->
                terminals.list(held -> connection.send(ok(request).with(Protocol.TERMINALS, held)));
            default ->
                throw new MalformedMessageException("this keeper does not know `op` " + request.text(Protocol.OP));
        }
    }

    private void start(Connection connection, Message request) throws IOException {
        Message answer = answer(request); // not the request itself: it holds the environment
        terminals.start(
                TerminalSpec.of(request),
                problem -> connection.send(
                        problem == null ? answer.with(Protocol.OK, true) : answer.with(Protocol.ERROR, problem)));
    }

    private void write(Connection connection, Message request) throws MalformedMessageException {
        Terminal terminal = terminals.find(request.text(Protocol.ID));
        Message answer = ok(request);
        IntConsumer taken = request.has(Protocol.NUMBER)
                ? count -> connection.send(answer.with(Protocol.TAKEN, count))
                : _ -> {}; // nobody wants to know
        long limit = request.has(Protocol.LIMIT_MS) ? request.number(Protocol.LIMIT_MS) : LONGEST_WAIT_MS;
        if (terminal == null) {
            taken.accept(0);
            return;
        }
        terminal.write(
                request.bytes(Protocol.DATA),
                request.flag(Protocol.EOF),
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.clamp(limit, 0, LONGEST_WAIT_MS)),
                taken);
    }

    private static void detach(Connection connection, Message request) {
        Terminal terminal = connection.watched().remove(request.text(Protocol.ID));
        if (terminal != null) {
            terminal.detach(connection);
        }
        if (request.has(Protocol.NUMBER)) {
            connection.send(ok(request));
        }
    }

    private Terminal terminal(Message request) throws IOException {
        Terminal terminal = terminals.find(request.text(Protocol.ID));
        if (terminal == null) {
            throw new IOException("holds no terminal " + request.text(Protocol.ID));
        }
        return terminal;
    }

    private static Message ok(Message request) {
        return answer(request).with(Protocol.OK, true);
    }

    private static Message answer(@Nullable Message request) {
        Message answer = Message.empty();
        return request == null
                ? answer
                : answer.with(Protocol.NUMBER, request.fields().get(Protocol.NUMBER));
    }
}
