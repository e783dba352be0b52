package dev.holdfast.message.body;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import dev.holdfast.runtime.call.Refusal;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A number between a minimum and a maximum; any but a {@code Double} is whole. A model may quote a whole one, or write
 * it as 5.0 or 5e3.
 */
final class Bounded<T extends Number> extends StdScalarDeserializer<T> implements ContextualDeserializer {
    private static final BigDecimal UNBOUNDED = BigDecimal.valueOf(Double.MAX_VALUE);
    private final Class<T> type;
    private final transient Function<BigDecimal, T> made;
    private final BigDecimal min;
    private final BigDecimal max;
    private final boolean lenient;

    private Bounded(Class<T> type, Function<BigDecimal, T> made, BigDecimal min, BigDecimal max, boolean lenient) {
        super(type);
        this.type = type;
        this.made = made;
        this.min = min;
        this.max = max;
        this.lenient = lenient;
    }

    static Bounded<Integer> ints(boolean lenient) {
        BigDecimal max = BigDecimal.valueOf(Integer.MAX_VALUE);
        return new Bounded<>(Integer.class, BigDecimal::intValueExact, BigDecimal.ZERO, max, lenient);
    }

    static Bounded<Long> longs(boolean lenient) {
        BigDecimal max = BigDecimal.valueOf(Long.MAX_VALUE);
        return new Bounded<>(Long.class, BigDecimal::longValueExact, BigDecimal.ZERO, max, lenient);
    }

    static Bounded<Double> doubles(boolean lenient) {
        return new Bounded<>(Double.class, BigDecimal::doubleValue, BigDecimal.ZERO, UNBOUNDED, lenient);
    }

    @Override
    public JsonDeserializer<T> createContextual(DeserializationContext context, @Nullable BeanProperty field) {
        Schema schema = Strict.schema(field);
        return schema == null
                ? this
                : new Bounded<>(type, made, bound(schema.minimum(), min), bound(schema.maximum(), max), lenient);
    }

    private static BigDecimal bound(String told, BigDecimal otherwise) {
        return told.isEmpty() ? otherwise : new BigDecimal(told);
    }

    @Override
    public T deserialize(JsonParser at, DeserializationContext context) throws IOException {
        BigDecimal number = number(at);
        if (number == null) {
            JsonToken wanted = type == Double.class ? JsonToken.VALUE_NUMBER_FLOAT : JsonToken.VALUE_NUMBER_INT;
            throw context.wrongTokenException(at, type, wanted, null);
        }
        if (number.compareTo(min) < 0 || number.compareTo(max) > 0) {
            throw max.compareTo(UNBOUNDED) == 0
                    ? Refusal.invalid(Strict.path(at), "must be at least " + plain(min), "Choose a larger number.")
                    : Refusal.invalid(
                            Strict.path(at),
                            "must be between " + plain(min) + " and " + plain(max),
                            "Choose a number in these bounds.");
        }
        return made.apply(number);
    }

    /** Null for what is none. */
    private @Nullable BigDecimal number(JsonParser at) throws IOException {
        return switch (at.currentToken()) {
            case VALUE_STRING ->
                lenient && Strict.QUOTED.matcher(at.getText()).matches() ? new BigDecimal(at.getText()) : null;
            case VALUE_NUMBER_INT -> at.getDecimalValue();
            case VALUE_NUMBER_FLOAT -> type == Double.class ? at.getDecimalValue() : lenient ? whole(at) : null;
            default -> null;
        };
    }

    private static @Nullable BigDecimal whole(JsonParser at) throws IOException {
        try {
            return BigDecimal.valueOf(at.getDecimalValue().longValueExact());
        } catch (ArithmeticException fraction) {
            return null;
        }
    }

    private static String plain(BigDecimal bound) {
        return bound.stripTrailingZeros().toPlainString();
    }
}
