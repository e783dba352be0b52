package dev.holdfast.message.body;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import java.io.IOException;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What is not there at all is null; a null that is there is refused, unless its field's schema has it. */
final class NotNull extends DelegatingDeserializer {
    private final boolean takesNull;

    NotNull(JsonDeserializer<?> reader, boolean takesNull) {
        super(reader);
        this.takesNull = takesNull;
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> reader) {
        return new NotNull(reader, takesNull);
    }

    @Override
    public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty field)
            throws JsonMappingException {
        Schema schema = Strict.schema(field);
        NotNull reader = (NotNull) super.createContextual(context, field);
        // What a list holds is of the same field, and of another type.
        boolean whole = field != null && field.getType().getRawClass().isAssignableFrom(handledType());
        return new NotNull(reader.getDelegatee(), whole && schema != null && schema.nullable());
    }

    /** A client of a model may send a list or an object as a text. */
    @Override
    public Object deserialize(JsonParser at, DeserializationContext context) throws IOException {
        boolean written = Strict.isLenient(context) && at.hasToken(JsonToken.VALUE_STRING);
        String text = written && !(getDelegatee() instanceof StdScalarDeserializer<?>) ? at.getText() : "";
        JsonFactory json = at.getCodec().getFactory();
        if ((!text.startsWith("{") && !text.startsWith("[")) || !isWhole(json, text)) {
            return super.deserialize(at, context);
        }
        JsonParser inside = json.createParser(text);
        inside.assignCurrentValue(Strict.path(at));
        inside.nextToken();
        try {
            return super.deserialize(inside, context);
        } catch (MismatchedInputException e) {
            // The context knows of no other parser than its own.
            throw e.getProcessor() == context.getParser()
                    ? MismatchedInputException.from(inside, e.getTargetType(), e.getOriginalMessage())
                    : e;
        }
    }

    private static boolean isWhole(JsonFactory json, String text) throws IOException {
        try (JsonParser all = json.createParser(text)) {
            all.nextToken();
            all.skipChildren();
            return all.nextToken() == null;
        } catch (StreamReadException broken) {
            return false; // then it is a text
        }
    }

    @Override
    public @Nullable Object getNullValue(DeserializationContext context) throws JsonMappingException {
        if (takesNull) {
            return null;
        }
        throw MismatchedInputException.from(context.getParser(), handledType(), "null");
    }

    @Override
    public @Nullable Object getAbsentValue(DeserializationContext context) {
        return null;
    }
}
