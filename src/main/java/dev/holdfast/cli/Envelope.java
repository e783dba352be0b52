package dev.holdfast.cli;

import java.util.HashMap;
import java.util.Map;

/**
 * What is outermost in a JSON-RPC message, as it is written: the rest of it is nobody's business on the way.
 *
 * @param fields values by name, in JSON; empty when the message is no object
 */
record Envelope(Map<String, String> fields) {
    static Envelope of(String message) {
        Map<String, String> fields = new HashMap<>();
        int depth = 0;
        int from = -1;
        String name = "";
        for (int at = 0; at < message.length(); at++) {
            switch (message.charAt(at)) {
                case '"' -> {
                    int end = endOfText(message, at);
                    if (depth == 1 && from < 0) {
                        name = message.substring(at + 1, end);
                    }
                    at = end;
                }
                case ':' -> from = depth == 1 && from < 0 ? at + 1 : from;
                case '{', '[' -> depth++;
                case '}', ']', ',' -> {
                    if (depth == 1 && from >= 0) {
                        fields.put(name, message.substring(from, at).strip());
                        from = -1;
                    }
                    depth -= message.charAt(at) == ',' ? 0 : 1;
                }
                default -> {}
            }
        }
        return new Envelope(Map.copyOf(fields));
    }

    /** Of the quotation mark that ends the text which one begins at {@code from}. */
    private static int endOfText(String message, int from) {
        int at = from + 1;
        while (at < message.length() && message.charAt(at) != '"') {
            at += message.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(at, message.length() - 1);
    }

    /** Whether somebody waits for an answer to it. */
    boolean asks() {
        return fields.containsKey("method") && !id().equals("null");
    }

    boolean begins() {
        return "\"initialize\"".equals(fields.get("method"));
    }

    /** In JSON. */
    String id() {
        return fields.getOrDefault("id", "null");
    }
}
