package dev.holdfast.keeper;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes what {@link JsonReader} reads, in one line. */
final class JsonWriter {
    private JsonWriter() {}

    static void write(StringBuilder out, @Nullable Object value) {
        switch (value) {
            case null -> out.append("null");
            case String string -> writeString(out, string);
            case Boolean flag -> out.append(flag.booleanValue());
            case Number number -> out.append(number);
            case Map<?, ?> map -> writeMap(out, map);
            case Iterable<?> list -> writeList(out, list);
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private static void writeMap(StringBuilder out, Map<?, ?> map) {
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            writeString(out, String.valueOf(entry.getKey()));
            out.append(':');
            write(out, entry.getValue());
            separator = ",";
        }
        out.append('}');
    }

    private static void writeList(StringBuilder out, Iterable<?> list) {
        out.append('[');
        for (Iterator<?> rest = list.iterator(); rest.hasNext(); ) {
            write(out, rest.next());
            out.append(rest.hasNext() ? "," : "");
        }
        out.append(']');
    }

    private static void writeString(StringBuilder out, String string) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char unit = string.charAt(i);
            if (unit == '"' || unit == '\\') {
                out.append('\\').append(unit);
            } else if (unit < ' ' || Character.isSurrogate(unit)) {
                out.append(String.format("\\u%04x", (int) unit));
            } else {
                out.append(unit);
            }
        }
        out.append('"');
    }
}
