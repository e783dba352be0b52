package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.runtime.wait.Outcome.Found;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future.State;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What no event tells: it holds when so many looks in a row say so. */
final class AwaitedLook extends Awaited {
    private final CompletableFuture<HostedCommand> hosted;
    private final Predicate<HostedCommand> holds;
    private final int inARow;
    private final Looks looks;
    private final Runnable told;
    private final Supplier<@Nullable Found> found;
    private final Runnable look = this::look;
    private int heldInARow;

    private AwaitedLook(
            CompletableFuture<HostedCommand> hosted,
            Predicate<HostedCommand> holds,
            int inARow,
            Looks looks,
            Runnable told,
            Supplier<@Nullable Found> found) {
        this.hosted = hosted;
        this.holds = holds;
        this.inARow = inARow;
        this.looks = looks;
        this.told = told;
        this.found = found;
    }

    /** @param told runs before it comes true, on a thread of its own */
    static AwaitedLook port(int port, CompletableFuture<HostedCommand> hosted, Looks looks, Runnable told) {
        return new AwaitedLook(hosted, command -> command.listensOn(port), 1, looks, told, () -> null);
    }

    /**
     * Two looks in a row, so that a program passing through a read is not taken for one that waits.
     *
     * @param asked what it asks; may block, on that thread
     */
    static AwaitedLook input(
            CompletableFuture<HostedCommand> hosted, Looks looks, Runnable told, Supplier<@Nullable Found> asked) {
        return new AwaitedLook(hosted, command -> command.facts().waiting() == Waiting.INPUT, 2, looks, told, asked);
    }

    @Override
    void begin() {
        if (!isOver()) {
            looks.add(look);
        }
    }

    @Override
    void lastLook() {
        impossible();
        looks.remove(look);
    }

    @Override
    void close() {
        super.close();
        looks.remove(look);
    }

    private void look() {
        try {
            heldInARow = hosted.state() == State.SUCCESS && holds.test(hosted.join()) ? heldInARow + 1 : 0;
            if (heldInARow >= inARow) {
                looks.remove(look);
                Threads.start(this::tell); // a keeper that hangs does not hold up the looks at others
            } else if (heldInARow == 0) {
                looked();
            }
        } catch (RuntimeException failure) {
            failed(failure);
        }
        if (isOver()) {
            looks.remove(look);
        }
    }

    private void tell() {
        try {
            told.run();
            came(found.get());
        } catch (RuntimeException failure) {
            failed(failure);
        }
    }
}
