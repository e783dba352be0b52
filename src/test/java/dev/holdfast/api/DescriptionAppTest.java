package dev.holdfast.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.message.body.AddToken;
import dev.holdfast.message.body.DecideApproval;
import dev.holdfast.message.body.SignIn;
import dev.holdfast.message.body.StartBatch;
import dev.holdfast.message.body.StartCommand;
import dev.holdfast.message.body.TaskBodies;
import dev.holdfast.message.body.TaskInput;
import dev.holdfast.message.body.WaitFor;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.task.TaskId;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** {@code /q/openapi} against what the server takes and answers. */
@QuarkusTest
class DescriptionAppTest {
    private static final JsonSchemaFactory SCHEMAS = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
    private static final Set<ErrorKind> OF_TOOLS = EnumSet.of(ErrorKind.EXECUTION_FAILED, ErrorKind.CANCELLED);

    @Inject
    HoldfastConfig config;

    @TestHTTPResource
    @SuppressWarnings("NullAway.Init")
    URI base;

    private Caller caller;
    private JsonNode openapi;

    @BeforeEach
    void read() {
        caller = new Caller(base, config);
        openapi = Caller.json(caller.get("/q/openapi?format=json"));
    }

    private JsonNode schema(String name) {
        JsonNode schema = openapi.at("/components/schemas/" + name);
        assertThat(schema.isObject()).as(name).isTrue();
        return schema;
    }

    private void conforms(JsonNode value, JsonNode schema, String what) {
        var whole = JsonNodeFactory.instance.objectNode();
        whole.set("components", openapi.path("components"));
        whole.withArray("allOf").add(schema);
        Set<ValidationMessage> wrong = SCHEMAS.getSchema(whole).validate(value);
        assertThat(wrong).as(what + ": " + value).isEmpty();
    }

    private static JsonNode reference(String name) {
        return JsonNodeFactory.instance.objectNode().put("$ref", "#/components/schemas/" + name);
    }

    private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? openapi.at(node.path("$ref").asText().substring(1)) : node;
    }

    /** A call of the API: the part of the document that is about it. */
    private record Described(String name, JsonNode call) {}

    private List<Described> calls() {
        List<Described> calls = new ArrayList<>();
        openapi.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(call -> calls.add(new Described(
                                call.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(), call.getValue()))));
        return calls;
    }

    @Test
    void everyCallOfTheContractIsThere() {
        assertThat(calls())
                .extracting(Described::name)
                .containsExactlyInAnyOrder(
                        "POST /v1/commands",
                        "POST /v1/commands/batch",
                        "GET /v1/tasks",
                        "GET /v1/tasks/{id}",
                        "DELETE /v1/tasks/{id}",
                        "GET /v1/tasks/{id}/output",
                        "GET /v1/tasks/{id}/output/search",
                        "GET /v1/tasks/{id}/events",
                        "GET /v1/tasks/{id}/screen",
                        "GET /v1/tasks/{id}/terminal",
                        "POST /v1/tasks/{id}/input",
                        "POST /v1/tasks/{id}/signal",
                        "POST /v1/tasks/{id}/stop",
                        "PUT /v1/tasks/{id}/terminal-size",
                        "GET /v1/events",
                        "POST /v1/wait",
                        "POST /v1/policy/check",
                        "GET /v1/approvals",
                        "GET /v1/approvals/{id}",
                        "POST /v1/approvals/{id}",
                        "GET /v1/audit",
                        "GET /v1/tokens",
                        "POST /v1/tokens",
                        "DELETE /v1/tokens/{name}",
                        "GET /v1/console/session",
                        "POST /v1/console/session",
                        "DELETE /v1/console/session",
                        "POST /v1/console/keys",
                        "GET /v1/tools",
                        "POST /v1/tools/{name}");
        for (JsonNode reference : openapi.findValues("$ref")) {
            assertThat(openapi.at(reference.asText().substring(1)).isMissingNode())
                    .as(reference.asText())
                    .isFalse();
        }
    }

    /** Quarkus would make it of its parts at each start. */
    @Test
    void itIsMadeWhilePackagingNotByAServer() throws JMException {
        var live = ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        assertThat(((String) live).lines().filter(line -> line.contains("$StaticDocument")))
                .isEmpty();
    }

    @Test
    void itIsYamlUnlessJsonIsAskedFor() {
        var yaml = new Yaml(new SafeConstructor(new LoaderOptions()))
                .<Map<String, Map<String, ?>>>load(caller.get("/q/openapi").body());
        assertThat(yaml.get("paths"))
                .containsOnlyKeys(openapi.path("paths")
                        .propertyStream()
                        .map(Map.Entry::getKey)
                        .toList());
        assertThat(Caller.json(caller.get("/q/openapi.json"))).isEqualTo(openapi);
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfFailureIsTold(ErrorKind kind) {
        String name = kind.name().toLowerCase(Locale.ROOT);
        String status = String.valueOf(kind.httpStatus());

        if (!OF_TOOLS.contains(kind)) {
            assertThat(schema("Problem").at("/properties/kind/description").asText())
                    .contains(name);
            assertThat(calls())
                    .anyMatch(described -> resolved(described.call().at("/responses/" + status))
                            .path("description")
                            .asText()
                            .contains("`" + name + "`"));
        }
    }

    @Test
    void everyCallTellsHowItCanFail() {
        for (Described described : calls()) {
            JsonNode answers = described.call().path("responses");
            assertThat(names(answers)).as(described.name()).contains("401", "403", "500", "default");
            if (described.call().has("requestBody")) {
                assertThat(names(answers)).as(described.name()).contains("400", "413", "415");
            }
            answers.properties().forEach(answer -> {
                if (answer.getKey().charAt(0) > '3') {
                    assertThat(resolved(answer.getValue())
                                    .at("/content/application~1problem+json/schema/$ref")
                                    .asText())
                            .as(described.name() + " " + answer.getKey())
                            .isEqualTo("#/components/schemas/Problem");
                }
            });
        }
    }

    @Test
    void everyBodyAndAnswerHasAnExample() {
        for (Described described : calls()) {
            List<JsonNode> contents = new ArrayList<>();
            contents.add(described.call().at("/requestBody/content"));
            described
                    .call()
                    .path("responses")
                    .forEach(answer -> contents.add(resolved(answer).path("content")));
            for (JsonNode content : contents) {
                content.properties().forEach(type -> {
                    JsonNode schema = type.getValue().path("schema");
                    assertThat(type.getValue().has("example") || hasExamples(schema))
                            .as(described.name() + " " + type)
                            .isTrue();
                    if (type.getValue().has("example") && !schema.isMissingNode()) {
                        conforms(type.getValue().path("example"), schema, described.name());
                    }
                });
            }
        }
        schemasWithExamples().forEach(schema -> {
            for (JsonNode example : schema.getValue().path("examples")) {
                conforms(example, schema.getValue(), schema.getKey());
            }
        });
    }

    private boolean hasExamples(JsonNode schema) {
        JsonNode told = resolved(schema);
        boolean each = told.has("oneOf");
        for (JsonNode one : told.path("oneOf")) {
            each &= hasExamples(one);
        }
        return each || told.has("examples");
    }

    private List<Map.Entry<String, JsonNode>> schemasWithExamples() {
        return openapi.at("/components/schemas").properties().stream()
                .filter(schema -> schema.getValue().has("examples"))
                .toList();
    }

    @Test
    void everyParameterHasItsTypeAndEveryNumberItsBounds() {
        for (Described described : calls()) {
            for (JsonNode told : described.call().path("parameters")) {
                JsonNode parameter = resolved(told);
                assertThat(parameter.at("/schema/type").asText())
                        .as(described.name() + " " + parameter)
                        .isNotEmpty();
                bounded(parameter.path("schema"), parameter.toString());
                if (parameter.has("example")) {
                    conforms(parameter.path("example"), parameter.path("schema"), parameter.toString());
                }
            }
        }
        openapi.at("/components/schemas").properties().stream()
                .filter(schema -> schema.getValue().has("additionalProperties"))
                .forEach(body -> body.getValue()
                        .path("properties")
                        .properties()
                        .forEach(field -> bounded(field.getValue(), body.getKey() + "." + field.getKey())));
    }

    private static void bounded(JsonNode schema, String what) {
        if (schema.path("type").asText().equals("integer")) {
            assertThat(schema.has("minimum") && schema.has("maximum")).as(what).isTrue();
        }
    }

    private static List<String> names(JsonNode object) {
        return object.properties().stream().map(Map.Entry::getKey).toList();
    }

    @Test
    void theExamplesOfEveryBodyAreTaken() {
        Map<String, Function<byte[], Object>> readers = Map.of(
                "SignIn", SignIn::parse,
                "AddToken", AddToken::parse,
                "StartCommand", StartCommand::parse,
                "StartBatch", StartBatch::parse,
                "TaskInput", TaskInput::parse,
                "WaitFor", body -> WaitFor.parse(body, TaskId::new),
                "DecideApproval", DecideApproval::parse,
                "StopTask", TaskBodies::stop,
                "SignalTask", TaskBodies::signal,
                "TerminalSize", TaskBodies::terminalSize);

        readers.forEach((name, reader) -> {
            assertThat(schema(name).path("examples")).as(name).isNotEmpty();
            for (JsonNode example : schema(name).path("examples")) {
                assertThat(reader.apply(example.toString().getBytes(UTF_8))).isNotNull();
            }
        });
    }

    @Test
    void answersAreAsDescribed() {
        JsonNode promoted = answer(
                "CommandAnswer",
                "/v1/commands",
                "{\"cmd\":\"echo hi; sleep 60\",\"login\":false,\"yield_time_ms\":0,\"labels\":{\"a\":\"b\"}}");
        String id = promoted.at("/task_handle/task_id").asText();

        assertThat(promoted.path("disposition").asText()).isEqualTo("promoted_to_task");
        answer("CommandAnswer", "/v1/commands", "{\"cmd\":\"echo hi; sleep 60\",\"login\":false,\"yield_time_ms\":0}");
        answer("CommandAnswer", "/v1/commands", "{\"cmd\":\"exit 3\",\"login\":false}");
        answer("CommandAnswer", "/v1/commands", "{\"cmd\":\"seq 9999\",\"login\":false,\"max_output_tokens\":9}");
        answer(
                "BatchAnswer",
                "/v1/commands/batch",
                "{\"items\":[{\"cmd\":\"true\"},{\"argv\":[\"no-such-program\"]}]}");
        answer(
                "WaitOutcome",
                "/v1/wait",
                "{\"any\":[{\"task_id\":\"" + id + "\",\"until\":\"output_matches\",\"pattern\":\"hi\"}]}");
        JsonNode task = answer("Task", "/v1/tasks/" + id, "");
        assertThat(names(schema("Task").path("properties")))
                .startsWith(names(task).toArray(String[]::new))
                .endsWith("left_running")
                .hasSize(task.size() + 1);
        answer("TaskList", "/v1/tasks?limit=1", "");
        answer("OutputPage", "/v1/tasks/" + id + "/output", "");
        answer("OutputSearch", "/v1/tasks/" + id + "/output/search?pattern=h", "");
        answer("Task", "/v1/tasks/" + id + "/signal", "{\"signal\":\"CONT\"}");
        answer("StopOutcome", "/v1/tasks/" + id + "/stop", "{\"force\":true}");
        answer("Task", "/v1/tasks/" + id, "");
        answer("Problem", "/v1/tasks/" + id + "/input", "{\"text\":\"x\"}");
        answer("PolicyVerdict", "/v1/policy/check", "{\"cmd\":\"ls; rm -rf /\"}");
        answer("PolicyVerdict", "/v1/policy/check", "{\"argv\":[\"ls\"]}");
        answer("Approvals", "/v1/approvals", "");
        answer("AuditPage", "/v1/audit?task_id=" + id, "");
        answer("Tokens", "/v1/tokens", "");
        answer("Problem", "/v1/tokens", "{\"name\":\"operator\"}");
        answer("Session", "/v1/console/session", "");
        answer("ConsoleKey", "/v1/console/keys", "{}");
        answer("Toolbox", "/v1/tools", "");
        answer("ToolAnswer", "/v1/tools/TaskStatus", "{\"task_id\":\"" + id + "\"}");
        answer("ToolAnswer", "/v1/tools/TaskStatus", "{}");
    }

    /** @param body empty for a GET */
    private JsonNode answer(String schema, String path, String body) {
        JsonNode answer = Caller.json(body.isEmpty() ? caller.get(path) : caller.post(path, body));
        conforms(answer, reference(schema), path);
        return answer;
    }

    @Test
    void defaultsAreTold() {
        JsonNode start = schema("StartCommand").path("properties");

        assertThat(start.at("/yield_time_ms/default").asInt()).isEqualTo(10_000);
        assertThat(start)
                .allSatisfy(field -> assertThat(field.has("description") || field.has("$ref"))
                        .as(field.toString())
                        .isTrue());
        assertThat(schema("BatchCommand").findValues("default")).isEmpty();
    }
}
