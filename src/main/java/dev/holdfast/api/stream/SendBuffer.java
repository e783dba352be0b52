package dev.holdfast.api.stream;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.inject.Singleton;

/**
 * How much of an answer the kernel takes for a client that does not read. By itself it takes megabytes for each, and
 * all callers wait for what makes them.
 */
@Singleton
public final class SendBuffer implements HttpServerOptionsCustomizer {
    /** In bytes; the kernel takes twice as much, socket(7). */
    private static final int SIZE = 128 * 1024;

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        options.setSendBufferSize(SIZE);
    }

    @Override
    public void customizeHttpsServer(HttpServerOptions options) {
        customizeHttpServer(options);
    }
}
