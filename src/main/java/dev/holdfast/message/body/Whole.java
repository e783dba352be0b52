package dev.holdfast.message.body;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import java.io.IOException;
import java.util.function.LongFunction;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A whole number between a minimum and a maximum. A model may quote it, or write it as 5.0 or 5e3. */
final class Whole<T extends Number> extends StdScalarDeserializer<T> implements ContextualDeserializer {
    private static final long serialVersionUID = 1L;
    private final Class<T> type;
    private final transient LongFunction<T> made;
    private final long min;
    private final long max;
    private final boolean lenient;

    Whole(Class<T> type, LongFunction<T> made, long min, long max, boolean lenient) {
        super(type);
        this.type = type;
        this.made = made;
        this.min = min;
        this.max = max;
        this.lenient = lenient;
    }

    @Override
    public JsonDeserializer<T> createContextual(DeserializationContext context, @Nullable BeanProperty field) {
        Schema schema = Strict.schema(field);
        return schema == null
                ? this
                : new Whole<>(type, made, bound(schema.minimum(), min), bound(schema.maximum(), max), lenient);
    }

    private static long bound(String told, long otherwise) {
        return told.isEmpty() ? otherwise : Long.parseLong(told);
    }

    @Override
    public T deserialize(JsonParser at, DeserializationContext context) throws IOException {
        if (lenient
                && at.hasToken(JsonToken.VALUE_STRING)
                && Strict.QUOTED.matcher(at.getText()).matches()) {
            return within(at, Long.parseLong(at.getText()));
        }
        if (lenient && at.hasToken(JsonToken.VALUE_NUMBER_FLOAT)) {
            try {
                return within(at, at.getDecimalValue().longValueExact());
            } catch (ArithmeticException fraction) {
                throw context.wrongTokenException(at, type, JsonToken.VALUE_NUMBER_INT, null);
            }
        }
        if (!at.hasToken(JsonToken.VALUE_NUMBER_INT)) {
            throw context.wrongTokenException(at, type, JsonToken.VALUE_NUMBER_INT, null);
        }
        boolean large = at.getNumberType() == JsonParser.NumberType.BIG_INTEGER;
        return within(at, large ? Long.MIN_VALUE : at.getLongValue());
    }

    private T within(JsonParser at, long number) {
        if (number < min || number > max) {
            throw Strict.bounds(at, Long.toString(min), Long.toString(max));
        }
        return made.apply(number);
    }
}
