package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.cli.server.Api;
import java.io.IOException;
import java.io.Reader;

/**
 * What is outermost in a JSON-RPC message: the rest of it is nobody's business on the way.
 *
 * @param method empty for none
 * @param id in JSON; {@code null} for none
 */
record Envelope(String method, String id) {
    static Envelope of(Reader message) {
        String method = "";
        String id = "null";
        try (JsonParser at = Api.JSON.createParser(message)) {
            at.nextToken();
            while (at.nextToken() == JsonToken.FIELD_NAME) {
                String name = at.currentName();
                boolean scalar = at.nextToken().isScalarValue();
                if (scalar && name.equals("id")) {
                    id = at.readValueAsTree().toString();
                } else if (scalar && name.equals("method")) {
                    method = at.getText();
                }
                at.skipChildren();
            }
        } catch (IOException unreadable) {
            return new Envelope(method, id); // the server, which reads all of it, says why
        }
        return new Envelope(method, id);
    }

    /** Whether somebody waits for an answer to it. */
    boolean asks() {
        return !method.isEmpty() && !id.equals("null");
    }

    /** Whether it only tells something: it is never answered, not even that it was refused. */
    boolean notifies() {
        return !method.isEmpty() && id.equals("null");
    }

    /** Whether it answers what the server asked. */
    boolean answers() {
        return method.isEmpty() && !id.equals("null");
    }

    boolean begins() {
        return method.equals("initialize");
    }
}
