package dev.holdfast.house;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What one sees of the code at a glance: how much lies side by side, how long a file is, and how wide. */
class SourcesTest {
    private static final Path MAIN = Path.of("src/main/java");
    private static final int SIDE_BY_SIDE = 25;
    private static final int LINES = 300;
    private static final int COLUMNS = 120;
    private static final Pattern COMMENT = Pattern.compile("\\s*(\\*|/\\*|//).*");

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(MAIN)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .toList();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void noRoomHasMoreThan25FilesSideBySide() throws IOException {
        Map<Path, Long> rooms = sources().stream().collect(groupingBy(Path::getParent, counting()));
        assertThat(rooms).allSatisfy((room, files) -> assertThat(files).isLessThanOrEqualTo(SIDE_BY_SIDE));
    }

    @Test
    void noFileHasMoreThan300Lines() throws IOException {
        assertThat(sources()).allSatisfy(file -> assertThat(lines(file)).hasSizeLessThanOrEqualTo(LINES));
    }

    /** The formatter breaks code, and leaves comments as they are. */
    @Test
    void noCommentIsWiderThan120Columns() throws IOException {
        assertThat(sources())
                .allSatisfy(file -> assertThat(lines(file).stream()
                                .filter(line -> line.length() > COLUMNS)
                                .filter(line -> COMMENT.matcher(line).matches()))
                        .isEmpty());
    }
}
