package dev.holdfast.tool;

import java.lang.reflect.ParameterizedType;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the class of a tool says of it, read once. */
record Described(Profile profile, Class<? extends Record> input, Tool.Description description) {
    private static final ClassValue<Described> ALL = new ClassValue<>() {
        @Override
        protected Described computeValue(Class<?> tool) {
            ToolDescription told = Objects.requireNonNull(tool.getAnnotation(ToolDescription.class), tool::getName);
            var kind = (ParameterizedType) tool.getGenericInterfaces()[0];
            Class<? extends Record> input = ((Class<?>) kind.getActualTypeArguments()[0]).asSubclass(Record.class);
            Map<String, String> notes = Stream.of(told.notes())
                    .map(note -> note.split(": ", 2))
                    .collect(Collectors.toMap(note -> note[0], note -> note[1]));
            Map<String, Object> schema = Schemas.of(input, notes.isEmpty() ? null : notes);
            return new Described(
                    told.profile(),
                    input,
                    new Tool.Description(
                            told.name(),
                            told.description(),
                            schema,
                            told.effect().hints()));
        }
    };

    static Described of(Tool<?> tool) {
        return ALL.get(tool.getClass());
    }
}
