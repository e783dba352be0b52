package dev.holdfast.api.stream;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes to a client no faster than it reads: what is on its way and not yet taken by the kernel is bounded. Used by
 * one thread at a time; one that waits is virtual.
 */
public final class Outflow {
    private final HttpServerResponse response;
    private final long bound;
    private final AtomicLong onTheWay = new AtomicLong();
    private final Semaphore progress = new Semaphore(0);
    private volatile boolean gone;

    /** @param bound bytes on their way, above which a write waits */
    public Outflow(HttpServerResponse response, long bound) {
        this.response = response;
        this.bound = bound;
    }

    /** @return false when the client is gone */
    public boolean write(Buffer bytes) throws InterruptedException {
        while (onTheWay.get() > bound && !gone()) {
            progress.acquire();
        }
        if (gone()) {
            return false;
        }
        int length = bytes.length();
        onTheWay.addAndGet(length);
        response.write(bytes).onComplete(written -> {
            if (written.failed()) {
                gone = true;
            }
            onTheWay.addAndGet(-length);
            progress.release();
        });
        return true;
    }

    private boolean gone() {
        return gone || response.closed();
    }
}
