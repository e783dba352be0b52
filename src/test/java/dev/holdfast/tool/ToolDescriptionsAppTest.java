package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import dev.holdfast.message.view.Json;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What models are told of the tools: golden files that a person can read, and what they cost. */
@QuarkusTest
class ToolDescriptionsAppTest {
    private static final int MOST_TOKENS = 1160;
    private static final Encoding TOKENS =
            Encodings.newDefaultEncodingRegistry().getEncoding(EncodingType.O200K_BASE);
    private static final ObjectMapper PRETTY = new ObjectMapper();

    @Inject
    ToolRegistry tools;

    /** With GOLDEN=write in the environment the files are written anew, to be looked at before they are kept. */
    @ParameterizedTest
    @EnumSource
    void eachProfileIsToldAsItsGoldenFile(Profile profile) throws IOException {
        List<Tool.Description> told =
                tools.of(profile).stream().map(Tool::description).toList();
        String json =
                PRETTY.writerWithDefaultPrettyPrinter().writeValueAsString(PRETTY.readTree(Json.bytes(told))) + "\n";
        Path golden = Path.of("src/test/resources/tools", profile + ".json");
        if ("write".equals(System.getenv("GOLDEN"))) {
            Files.writeString(golden, json);
        }
        assertThat(json).isEqualTo(Files.readString(golden));
    }

    /** As the usual clients give them to a model: name, description and schema. */
    @Test
    void ourProfileCostsLittle() throws IOException {
        int all = 0;
        for (Tool<?> tool : tools.of(Profile.HOLDFAST)) {
            Tool.Description told = tool.description();
            int cost =
                    TOKENS.countTokens(told.name() + "\n" + told.description() + "\n" + Json.text(told.inputSchema()));
            System.out.println(told.name() + ": " + cost + " tokens");
            all += cost;
        }
        System.out.println("The whole profile: " + all + " tokens");
        assertThat(all).isLessThanOrEqualTo(MOST_TOKENS);
    }

    @ParameterizedTest
    @EnumSource
    void schemasTakeNothingElseAndNameWhatIsRequired(Profile profile) throws IOException {
        for (Tool<?> tool : tools.of(profile)) {
            JsonNode schema = PRETTY.readTree(Json.bytes(tool.description().inputSchema()));
            assertThat(schema.path("type").asText()).isEqualTo("object");
            assertThat(schema.get("additionalProperties").asBoolean(true)).isFalse();
            for (JsonNode name : schema.path("required")) {
                assertThat(schema.path("properties").has(name.asText()))
                        .as(name.asText())
                        .isTrue();
            }
        }
    }
}
