package dev.holdfast.message.body;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.SettableAnyProperty;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.type.CollectionType;
import com.fasterxml.jackson.databind.type.MapType;
import dev.holdfast.runtime.call.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** How texts and numbers of a body are read: within the bounds that the {@link Schema} of their field tells callers. */
final class Strict {
    private static final int SHOWN = 64;
    /** Any long has as many digits. */
    static final Pattern QUOTED = Pattern.compile("-?[0-9]{1,18}");

    /** Of a reader, whether what models write for something else is taken for that. */
    static final String LENIENT = "lenient";

    private Strict() {}

    static boolean isLenient(DeserializationContext context) {
        return Boolean.TRUE.equals(context.getAttribute(LENIENT));
    }

    /** @param lenient whether a number or a truth value may stand in quotes, and a whole number be written 5.0 */
    static SimpleModule module(boolean lenient) {
        SimpleModule module = new SimpleModule()
                .addDeserializer(String.class, new Text(List.of(), false, !lenient))
                .addDeserializer(Integer.class, Bounded.ints(lenient))
                .addDeserializer(Long.class, Bounded.longs(lenient))
                .addDeserializer(Double.class, Bounded.doubles(lenient));
        module.setDeserializerModifier(new NothingElse());
        return lenient ? module.addDeserializer(Boolean.class, new Truth()) : module;
    }

    /** A record takes no other field than its own, and no value but one that is read by a class of its own is null. */
    private static final class NothingElse extends BeanDeserializerModifier {
        @Override
        public BeanDeserializerBuilder updateBuilder(
                DeserializationConfig config, BeanDescription type, BeanDeserializerBuilder builder) {
            SortedSet<String> known = new TreeSet<>();
            builder.getProperties().forEachRemaining(field -> known.add(field.getName()));
            builder.setAnySetter(new Unknown(type.getType(), known));
            return builder;
        }

        @Override
        public JsonDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription type, JsonDeserializer<?> reader) {
            return new NotNull(reader, false);
        }

        @Override
        public JsonDeserializer<?> modifyCollectionDeserializer(
                DeserializationConfig config, CollectionType type, BeanDescription bean, JsonDeserializer<?> reader) {
            return new NotNull(reader, false);
        }

        @Override
        public JsonDeserializer<?> modifyMapDeserializer(
                DeserializationConfig config, MapType type, BeanDescription bean, JsonDeserializer<?> reader) {
            return new NotNull(reader, false);
        }
    }

    /** A field that is none of a record's: refused by its name, before its value is read. */
    private static final class Unknown extends SettableAnyProperty {
        private final transient SortedSet<String> known;

        @SuppressWarnings("NullAway") // it sets nothing, so that it needs no setter and no reader
        Unknown(JavaType type, SortedSet<String> known) {
            super(null, null, type, null, null, null);
            this.known = known;
        }

        @Override
        public Object deserialize(JsonParser at, DeserializationContext context) throws IOException {
            throw Nearest.refusal("field", path(at), at.currentName(), known);
        }

        @Override
        public boolean hasValueDeserializer() {
            return true;
        }

        @Override
        public void fixAccess(DeserializationConfig config) {}

        @Override
        public SettableAnyProperty withValueDeserializer(JsonDeserializer<Object> reader) {
            return this;
        }

        @Override
        protected void _set(Object record, Object name, Object value) {
            throw new IllegalStateException("nothing is read that could be set");
        }
    }

    /** A text without NUL, which ends a string for the kernel, and without half a character; one of those allowed. */
    private static class Text extends StdScalarDeserializer<String> implements ContextualDeserializer {
        private final List<String> allowed;
        private final boolean required;
        private final boolean otherBytes;

        /**
         * @param allowed none for any
         * @param otherBytes whether input can carry them; to a model no tool offers it
         */
        Text(List<String> allowed, boolean required, boolean otherBytes) {
            super(String.class);
            this.allowed = allowed;
            this.required = required;
            this.otherBytes = otherBytes;
        }

        @Override
        public JsonDeserializer<String> createContextual(DeserializationContext context, @Nullable BeanProperty field) {
            Schema schema = schema(field);
            return schema == null || schema.enumeration().length == 0
                    ? this
                    : new Text(List.of(schema.enumeration()), schema.required(), otherBytes);
        }

        @Override
        public String deserialize(JsonParser at, DeserializationContext context) throws IOException {
            if (!at.hasToken(JsonToken.VALUE_STRING)) {
                throw context.wrongTokenException(at, String.class, JsonToken.VALUE_STRING, null);
            }
            String text = at.getText();
            flaw(text).ifPresent(flaw -> {
                String bytes = otherBytes ? "; input can carry other bytes as `base64`" : "";
                throw Refusal.invalid(path(at), flaw, "Send plain Unicode text" + bytes + ".");
            });
            if (!allowed.isEmpty() && !allowed.contains(text)) {
                throw Refusal.invalid(
                        path(at),
                        "must be one of " + String.join(", ", allowed),
                        "Use one of these" + (required ? "." : ", or leave it out."));
            }
            return text;
        }
    }

    /** A text in an environment; from a model also a number or a truth value, as it wrote it. */
    static final class Value extends Text {
        Value() {
            super(List.of(), false, false);
        }

        @Override
        public String deserialize(JsonParser at, DeserializationContext context) throws IOException {
            boolean plain = at.currentToken().isNumeric() || at.currentToken().isBoolean();
            return plain && isLenient(context) ? at.getText() : super.deserialize(at, context);
        }
    }

    /** A truth value, or its name in quotes. */
    private static final class Truth extends StdScalarDeserializer<Boolean> {
        Truth() {
            super(Boolean.class);
        }

        @Override
        public Boolean deserialize(JsonParser at, DeserializationContext context) throws IOException {
            boolean named = at.hasToken(JsonToken.VALUE_STRING)
                    && (at.getText().equals("true") || at.getText().equals("false"));
            if (!named && !at.currentToken().isBoolean()) {
                throw context.wrongTokenException(at, Boolean.class, JsonToken.VALUE_TRUE, null);
            }
            return Boolean.valueOf(at.getText());
        }
    }

    static @Nullable Schema schema(@Nullable BeanProperty field) {
        return field == null ? null : field.getAnnotation(Schema.class);
    }

    /** What is wrong with a text, to follow the name of its field; nothing when it is fine. */
    static Optional<String> flaw(String text) {
        int c;
        for (int i = 0; i < text.length(); i += Character.charCount(c)) {
            c = text.codePointAt(i);
            if (c == 0) {
                return Optional.of("must not hold a NUL character");
            }
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                return Optional.of("must not hold half a surrogate pair");
            }
        }
        return Optional.empty();
    }

    /** Where the value begins that the parser has come to, as in {@code items[1].yield_when.port_open}. */
    static String path(JsonParser at) {
        JsonStreamContext context = at.getParsingContext();
        StringBuilder path = new StringBuilder();
        if (at.currentToken().isStructStart()) {
            context = context.getParent();
        }
        for (; !context.inRoot(); context = context.getParent()) {
            String step = context.inArray()
                    ? "[" + context.getCurrentIndex() + "]"
                    : "." + shortened(String.valueOf(context.getCurrentName()));
            path.insert(0, step);
        }
        if (context.getCurrentValue() instanceof String field) {
            path.insert(0, field); // of the text that this is read from
        }
        return path.indexOf(".") == 0 ? path.substring(1) : path.toString();
    }

    /** At most 64 characters of a name that a caller made up, for a message. */
    static String shortened(String name) {
        return name.length() <= SHOWN ? name : name.substring(0, SHOWN) + "…";
    }
}
