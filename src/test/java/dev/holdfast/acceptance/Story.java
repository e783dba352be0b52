package dev.holdfast.acceptance;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/**
 * A test that has begun, and goes on after an end of its server: several share one end and one start, since a start is
 * dearer than all that most of them do besides.
 *
 * @param meanwhile while no server runs
 */
record Story(String name, Executable meanwhile, Executable afterwards) {
    Story(String name, Executable afterwards) {
        this(name, () -> {}, afterwards);
    }

    /** @param end ends the server, which is started again when all have done what they do meanwhile */
    static Stream<DynamicTest> over(PackagedServer server, Executable end, Story... begun) throws Throwable {
        end.execute();
        List<Story> stories = Arrays.asList(begun);
        for (Story story : stories) {
            story.meanwhile.execute();
        }
        server.start();
        return stories.stream().map(story -> DynamicTest.dynamicTest(story.name, story.afterwards));
    }
}
