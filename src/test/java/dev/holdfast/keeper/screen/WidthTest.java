package dev.holdfast.keeper.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A line of text is as wide as on a screen. */
class WidthTest {
    @Test
    void isTheSameInTheServersTexts() {
        assertThat(IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                        .filter(character -> Width.of(character) != dev.holdfast.output.Width.of(character)))
                .isEmpty();
    }
}
