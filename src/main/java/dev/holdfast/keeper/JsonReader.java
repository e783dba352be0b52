package dev.holdfast.keeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON object (RFC 8259). Values are String, Long, Double, Boolean, null, List and Map. The keeper has a codec
 * of its own so that no library has to be copied beside it and loaded into its small heap. Nesting is bounded.
 */
final class JsonReader {
    private static final int MAX_DEPTH = 16;

    private final byte[] text;
    private int at;
    private int depth;

    private JsonReader(byte[] text) {
        this.text = text;
    }

    static Map<String, @Nullable Object> object(byte[] text) {
        JsonReader reader = new JsonReader(text);
        if (reader.peek() != '{') {
            throw new MalformedMessageException("not a JSON object");
        }
        Map<String, @Nullable Object> object = reader.members();
        if (reader.peek() != -1) {
            throw reader.malformed();
        }
        return object;
    }

    private @Nullable Object value() {
        return switch (peek()) {
            case '{' -> members();
            case '[' -> elements();
            case '"' -> string();
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> members() {
        enter();
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        if (peek() == '}') {
            at++;
        } else {
            do {
                if (peek() != '"') {
                    throw malformed();
                }
                String name = string();
                expect(':');
                members.put(name, value());
            } while (more('}'));
        }
        depth--;
        return members;
    }

    private List<@Nullable Object> elements() {
        enter();
        List<@Nullable Object> elements = new ArrayList<>();
        if (peek() == ']') {
            at++;
        } else {
            do {
                elements.add(value());
            } while (more(']'));
        }
        depth--;
        return elements;
    }

    private void enter() {
        at++;
        if (++depth > MAX_DEPTH) {
            throw new MalformedMessageException("nested deeper than " + MAX_DEPTH);
        }
    }

    /** Whether another member or element follows; takes the comma or the closing bracket. */
    private boolean more(char close) {
        int next = peek();
        at++;
        if (next == ',') {
            return true;
        }
        if (next != close) {
            at--;
            throw malformed();
        }
        return false;
    }

    private String string() {
        int from = ++at;
        while (at < text.length && text[at] != '"' && text[at] != '\\') {
            at++;
        }
        if (at == text.length) {
            throw malformed();
        }
        if (text[at] == '"') {
            return new String(text, from, at++ - from, StandardCharsets.UTF_8);
        }
        return escaped(new StringBuilder(new String(text, from, at - from, StandardCharsets.UTF_8)));
    }

    private String escaped(StringBuilder string) {
        while (at < text.length) {
            if (text[at] == '"') {
                at++;
                return string.toString();
            }
            if (text[at] == '\\') {
                at++;
                string.append(escape());
                continue;
            }
            int from = at;
            while (at < text.length && text[at] != '"' && text[at] != '\\') {
                at++;
            }
            string.append(new String(text, from, at - from, StandardCharsets.UTF_8));
        }
        throw malformed();
    }

    private char escape() {
        int letter = at < text.length ? text[at++] : -1;
        return switch (letter) {
            case '"', '\\', '/' -> (char) letter;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hexadecimal();
            default -> throw malformed();
        };
    }

    private char hexadecimal() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = at < text.length ? Character.digit(text[at++], 16) : -1;
            if (digit < 0) {
                throw malformed();
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private @Nullable Object literal(String word, @Nullable Object meaning) {
        for (int i = 0; i < word.length(); i++) {
            if (at == text.length || text[at++] != word.charAt(i)) {
                throw malformed();
            }
        }
        return meaning;
    }

    private Object number() {
        int from = at;
        while (at < text.length && "+-.0123456789eE".indexOf(text[at]) >= 0) {
            at++;
        }
        String digits = new String(text, from, at - from, StandardCharsets.US_ASCII);
        try {
            return digits.matches("-?[0-9]+") ? (Object) Long.valueOf(digits) : (Object) Double.valueOf(digits);
        } catch (NumberFormatException notANumber) {
            throw malformed();
        }
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw malformed();
        }
        at++;
    }

    /** The next byte that is no white space, not taken; -1 at the end. */
    private int peek() {
        while (at < text.length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) {
            at++;
        }
        return at < text.length ? text[at] : -1;
    }

    private MalformedMessageException malformed() {
        return new MalformedMessageException("not JSON at byte " + at);
    }
}
