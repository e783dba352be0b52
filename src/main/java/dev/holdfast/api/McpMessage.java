package dev.holdfast.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.holdfast.message.body.JsonBody;
import dev.holdfast.tool.mcp.McpTools;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a message to {@code /mcp}. The library takes what it looks for to be there and of the right type, and
 * lets a request wait for ever where it is not: so it gets only what has the form that it expects.
 */
sealed interface McpMessage {
    /** For the library. */
    record Taken(Buffer json) implements McpMessage {}

    /** With an error, which the message itself is the reason of. */
    record Answered(int status, Buffer json) implements McpMessage {}

    /** A notification that says nothing to this server. */
    record Ignored() implements McpMessage {}

    Set<String> METHODS = Set.of("initialize", "ping", "tools/list", "tools/call", "logging/setLevel");
    Set<String> NOTIFICATIONS = Set.of("notifications/initialized", "notifications/cancelled");

    int OK = 200;
    int BAD_REQUEST = 400;
    int PARSE_ERROR = -32700;
    int INVALID_REQUEST = -32600;
    int METHOD_NOT_FOUND = -32601;
    int INVALID_PARAMS = -32602;

    /**
     * @param session whether it comes with the id of one
     * @param asked whether its caller is one who may be asked
     * @param unknown what is said of a tool that is not there; null of one that is
     */
    static McpMessage of(Buffer body, boolean session, boolean asked, Function<String, @Nullable String> unknown) {
        Object json;
        String input = "";
        try {
            String text = text(body);
            json = Json.decodeValue(text);
            if (json instanceof JsonObject) {
                String params = WrittenFields.objects(text).getOrDefault("params", "{}");
                input = WrittenFields.objects(params).getOrDefault("arguments", "{}");
            }
        } catch (CharacterCodingException unreadable) {
            return error(BAD_REQUEST, null, PARSE_ERROR, "The message is not UTF-8.");
        } catch (JsonProcessingException | DecodeException unreadable) {
            Throwable flaw = unreadable.getCause() instanceof JsonProcessingException told ? told : unreadable;
            String why = flaw instanceof JsonProcessingException told ? JsonBody.flaw(told) : flaw.getMessage();
            return error(BAD_REQUEST, null, PARSE_ERROR, "The message cannot be read as JSON: " + why);
        }
        if (!(json instanceof JsonObject message) || !"2.0".equals(message.getValue("jsonrpc"))) {
            return error(BAD_REQUEST, null, INVALID_REQUEST, "Send one JSON-RPC 2.0 message, an object, a request.");
        }
        Object id = message.getValue("id");
        boolean unnamed = id == null && message.containsKey("id") && message.containsKey("method");
        if (unnamed || (id != null && !isName(id))) {
            String remedy = unnamed ? ", or left out of a notification." : ".";
            return error(BAD_REQUEST, null, INVALID_REQUEST, "`id` must be a string or a whole number" + remedy);
        }
        if (message.containsKey("result") || message.containsKey("error")) {
            return session && asked && isAnswer(message) ? new Taken(body) : new Ignored();
        }
        if (!(message.getValue("method") instanceof String method)) {
            return error(BAD_REQUEST, id, INVALID_REQUEST, "`method` must be a string.");
        }
        return id == null
                ? notification(message, method, body)
                : request(message, id, method, session, new Call(input, unknown));
    }

    private static String text(Buffer body) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(body.getBytes()))
                .toString();
    }

    /** Of the one question that this server asks: what a person decides. */
    private static boolean isAnswer(JsonObject message) {
        return message.getValue("id") instanceof Number
                && message.getValue("result") instanceof JsonObject result
                && result.getValue("action") instanceof String action
                && switch (action) {
                    case "accept" ->
                        result.getValue("content") instanceof JsonObject content
                                && isText(content.getValue(McpTools.DECISION));
                    case "decline", "cancel" -> isObject(result.getValue("content"));
                    default -> false;
                };
    }

    private static McpMessage notification(JsonObject message, String method, Buffer body) {
        boolean taken = NOTIFICATIONS.contains(method) && isObject(message.getValue("params"));
        return taken ? new Taken(body) : new Ignored();
    }

    /** @param input of a tool, as it was written */
    record Call(String input, Function<String, @Nullable String> unknown) {}

    private static McpMessage request(JsonObject message, Object id, String method, boolean session, Call call) {
        if (!METHODS.contains(method)) {
            return error(OK, id, METHOD_NOT_FOUND, "There is no method `" + method + "`: this server has tools alone.");
        }
        boolean begins = method.equals("initialize");
        if (!session && !begins) {
            return error(
                    BAD_REQUEST, id, INVALID_REQUEST, "Begin with `initialize`, and send the Mcp-Session-Id it gives.");
        }
        Object given = message.getValue("params");
        String wrong =
                isObject(given) ? wrong(method, given == null ? new JsonObject() : (JsonObject) given) : "params";
        if (wrong != null) {
            return error(
                    OK, id, INVALID_PARAMS, "`" + wrong + "` of `" + method + "` is missing or of the wrong type.");
        }
        String none = method.equals("tools/call")
                ? call.unknown().apply(message.getJsonObject("params").getString("name"))
                : null;
        return none == null
                ? new Taken(rewritten(message, method, call.input()).toBuffer())
                : error(OK, id, INVALID_PARAMS, none);
    }

    /** What of the parameters the library would fall over. */
    private static @Nullable String wrong(String method, JsonObject params) {
        if (!isObject(params.getValue("_meta"))) {
            return "_meta";
        }
        JsonObject meta = params.getJsonObject("_meta");
        Object token = meta == null ? null : meta.getValue("progressToken");
        if (token != null && !isName(token)) {
            return "progressToken";
        }
        return switch (method) {
            case "initialize" -> wrongBeginning(params);
            case "tools/call" ->
                !isText(params.getValue("name")) ? "name" : isObject(params.getValue("arguments")) ? null : "arguments";
            case "logging/setLevel" -> isText(params.getValue("level")) ? null : "level";
            default -> null;
        };
    }

    private static @Nullable String wrongBeginning(JsonObject params) {
        if (!isText(params.getValue("protocolVersion"))) {
            return "protocolVersion";
        }
        boolean named = params.getValue("clientInfo") instanceof JsonObject client && isText(client.getValue("name"));
        return !named ? "clientInfo" : isObject(params.getValue("capabilities")) ? null : "capabilities";
    }

    /** Without what the library would look into and has no use for. */
    private static JsonObject rewritten(JsonObject message, String method, String input) {
        JsonObject params = message.getJsonObject("params");
        if (params != null && params.getValue("_meta") == null) {
            params.remove("_meta");
        }
        if (method.equals("tools/call")) {
            params.remove("arguments");
            params.put(McpTools.INPUT, input);
        } else if (method.equals("initialize")) {
            JsonObject client = params.getJsonObject("clientInfo");
            String version = String.valueOf(client.getValue("version"));
            params.put("clientInfo", new JsonObject(Map.of("name", client.getString("name"), "version", version)));
        }
        return message;
    }

    private static boolean isObject(@Nullable Object value) {
        return value == null || value instanceof JsonObject;
    }

    private static boolean isText(@Nullable Object value) {
        return value instanceof String;
    }

    private static boolean isName(Object value) {
        return value instanceof String || value instanceof Integer || value instanceof Long;
    }

    private static McpMessage error(int status, @Nullable Object id, int code, String message) {
        JsonObject error = new JsonObject().put("code", code).put("message", message);
        JsonObject answer = new JsonObject().put("jsonrpc", "2.0").put("id", id).put("error", error);
        return new Answered(status, answer.toBuffer());
    }
}
