package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.holdfast.cli.server.Api;
import java.io.StringReader;
import org.jspecify.annotations.Nullable;

/**
 * What a server asks of the client, whose person may answer when that server is gone. The next one counts its questions
 * from 1 again, and would take the answer for one to its own: so a question has its session in its name on the way.
 */
final class Questions {
    private Questions() {}

    /** A message of the server, with such a name if it is a question. */
    static String named(String message, String session) {
        Envelope envelope = Envelope.of(new StringReader(message));
        try {
            return envelope.asks() ? withId(message, new TextNode(session + " " + envelope.id())) : message;
        } catch (JsonProcessingException torn) {
            return message;
        }
    }

    /** An answer of the client as the server takes it; null where that session asked nothing of that name. */
    static @Nullable String answer(String message, String session) {
        try {
            String name = Api.JSON.readTree(message).path("id").asText();
            boolean own = name.startsWith(session + " ");
            return own ? withId(message, Api.JSON.readTree(name.substring(session.length() + 1))) : null;
        } catch (JsonProcessingException unreadable) {
            return message; // the server says why
        }
    }

    private static String withId(String message, JsonNode id) throws JsonProcessingException {
        ObjectNode changed = (ObjectNode) Api.JSON.readTree(message);
        changed.set("id", id);
        return changed.toString();
    }
}
