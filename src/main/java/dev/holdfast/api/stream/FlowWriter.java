package dev.holdfast.api.stream;

import io.vertx.core.http.HttpServerResponse;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.Provider;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;
import org.jboss.resteasy.reactive.server.spi.ServerMessageBodyWriter;
import org.jboss.resteasy.reactive.server.spi.ServerRequestContext;

/** Lets a {@link Flow} write straight to Vert.x's response: no stream, no buffer in between. */
@Provider
public final class FlowWriter implements ServerMessageBodyWriter<Flow> {
    private static final Logger LOG = Logger.getLogger(FlowWriter.class);

    @Override
    public boolean isWriteable(Class<?> type, Type generic, ResteasyReactiveResourceInfo target, MediaType mediaType) {
        return Flow.class.isAssignableFrom(type);
    }

    @Override
    public boolean isWriteable(Class<?> type, Type generic, Annotation[] annotations, MediaType mediaType) {
        return Flow.class.isAssignableFrom(type);
    }

    @Override
    public void writeResponse(Flow flow, Type generic, ServerRequestContext context) {
        HttpServerResponse response = flow.response();
        try {
            flow.write();
            if (!response.ended() && !response.closed()) {
                response.end();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            response.reset();
        } catch (RuntimeException e) {
            LOG.warn("an answer broke off while it was written", e);
            response.reset();
        }
    }

    @Override
    public void writeTo(
            Flow flow,
            Class<?> type,
            Type generic,
            Annotation[] annotations,
            MediaType mediaType,
            MultivaluedMap<String, Object> headers,
            OutputStream body) {
        throw new UnsupportedOperationException("a flow is only written to Vert.x's response");
    }
}
