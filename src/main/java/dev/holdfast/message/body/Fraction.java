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
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A number between a minimum and a maximum. */
final class Fraction extends StdScalarDeserializer<Double> implements ContextualDeserializer {
    private static final long serialVersionUID = 1L;
    private final double min;
    private final double max;
    private final boolean lenient;

    Fraction(double min, double max, boolean lenient) {
        super(Double.class);
        this.min = min;
        this.max = max;
        this.lenient = lenient;
    }

    @Override
    public JsonDeserializer<Double> createContextual(DeserializationContext context, @Nullable BeanProperty field) {
        Schema schema = Strict.schema(field);
        return schema == null
                ? this
                : new Fraction(bound(schema.minimum(), min), bound(schema.maximum(), max), lenient);
    }

    private static double bound(String told, double otherwise) {
        return told.isEmpty() ? otherwise : Double.parseDouble(told);
    }

    @Override
    public Double deserialize(JsonParser at, DeserializationContext context) throws IOException {
        boolean quoted = lenient
                && at.hasToken(JsonToken.VALUE_STRING)
                && Strict.QUOTED.matcher(at.getText()).matches();
        if (!quoted && !at.currentToken().isNumeric()) {
            throw context.wrongTokenException(at, Double.class, JsonToken.VALUE_NUMBER_FLOAT, null);
        }
        double number = quoted ? Double.parseDouble(at.getText()) : at.getDoubleValue();
        if (number < min || number > max) {
            throw max == Double.MAX_VALUE
                    ? Refusal.invalid(Strict.path(at), "must be at least " + plain(min), "Choose a larger number.")
                    : Strict.bounds(at, plain(min), plain(max));
        }
        return number;
    }

    private static String plain(double bound) {
        return BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
    }
}
