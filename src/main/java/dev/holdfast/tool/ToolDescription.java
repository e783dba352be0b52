package dev.holdfast.tool;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a model is told of a tool besides the schema of its input. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ToolDescription {
    Profile profile();

    String name();

    /** When to take it, what comes back, what to do next; a model pays for each word. */
    String description();

    /** {@code field: what it means}, in fewer words, of an input that REST takes too. None: what its record says. */
    String[] notes() default {};

    Effect effect();

    /** What a client may want to know before it lets a model call. */
    enum Effect {
        /** It looks, and changes nothing. */
        READS,
        /** It may do anything that a shell can. */
        RUNS,
        /** It ends what runs, and no more when it is called again. */
        STOPS;

        Tool.Hints hints() {
            return new Tool.Hints(this != READS, this == READS, this != RUNS, this == RUNS);
        }
    }
}
