package dev.holdfast.api.stream;

import io.vertx.core.http.HttpServerResponse;

/** The body of an answer that is written while it comes into being. */
public interface Flow {
    /** Where it is written to. */
    HttpServerResponse response();

    /**
     * Writes the body, on the virtual thread of the request; status and headers are set. Returns early when the client
     * is gone. A failure closes the connection, so that half a body never looks whole.
     */
    void write() throws InterruptedException;
}
