package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tool.Profile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class McpTest {
    @Test
    void itKnowsTheProfilesThatTheServerHas() {
        assertThat(Mcp.PROFILES)
                .containsExactlyElementsOf(
                        Stream.of(Profile.values()).map(Profile::toString).toList());
    }
}
