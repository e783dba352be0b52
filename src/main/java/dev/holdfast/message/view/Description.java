package dev.holdfast.message.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.responses.APIResponses;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

/** What the description of the API says beyond annotations and {@code openapi.yaml}. Runs while packaging. */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class Description implements OASFilter {
    private static final DotName SCHEMA =
            DotName.createSimple(org.eclipse.microprofile.openapi.annotations.media.Schema.class);
    private static final List<String> ANY_CALL = List.of("401 Unauthorized", "403 Forbidden", "500 Internal");
    private static final List<String> WITH_A_BODY =
            List.of("400 InvalidInput", "413 PayloadTooLarge", "415 UnsupportedMediaType", "429 CapacityExhausted");

    /** What an answer may lack, as {@code Schema.field}, or {@code Schema.*}. */
    private final Set<String> absent = new HashSet<>();

    public Description(IndexView code) {
        for (AnnotationInstance left : code.getAnnotations(JsonInclude.class)) {
            AnnotationTarget target = left.target();
            if (target.kind() == AnnotationTarget.Kind.CLASS) {
                absent.add(name(target.asClass()) + ".*");
            } else if (target.kind() == AnnotationTarget.Kind.FIELD) {
                String field = PropertyNamingStrategies.SnakeCaseStrategy.INSTANCE.translate(
                        target.asField().name());
                absent.add(name(target.asField().declaringClass()) + "." + field);
            }
        }
    }

    private static String name(ClassInfo type) {
        AnnotationInstance schema = type.declaredAnnotation(SCHEMA);
        return schema == null || schema.value("name") == null
                ? type.simpleName()
                : schema.value("name").asString();
    }

    /** A reference says all there is, and an enum's names allow a null too where its type does. */
    @Override
    public Schema filterSchema(Schema schema) {
        if (schema.getRef() != null) {
            schema.setType(null);
        }
        List<Object> names = schema.getEnumeration();
        if (names != null && schema.getType() != null && schema.getType().contains(Schema.SchemaType.NULL)) {
            List<Object> andNull = new ArrayList<>(names);
            andNull.add(null);
            schema.setEnumeration(andNull);
        }
        return schema;
    }

    @Override
    public void filterOpenAPI(OpenAPI description) {
        description.getPaths().getPathItems().forEach(Description::addFailures);
        description.getComponents().getSchemas().forEach(this::complete);
    }

    private static void addFailures(String path, PathItem item) {
        for (Operation call : item.getOperations().values()) {
            List<String> failures = new ArrayList<>(ANY_CALL);
            if (call.getRequestBody() != null) {
                failures.addAll(WITH_A_BODY);
            } else if (call.getParameters() != null) {
                failures.add("400 InvalidInput");
            }
            if (path.startsWith("/v1/tasks/{id}")) {
                failures.add("404 TaskNotFound");
            }
            APIResponses answers = call.getResponses();
            for (String failure : failures) {
                answers.addAPIResponse(
                        failure.substring(0, 3), OASFactory.createAPIResponse().ref(failure.substring(4)));
            }
            answers.addAPIResponse("default", OASFactory.createAPIResponse().ref("Problem"));
        }
    }

    /** Names of enums are as {@link Json} writes them, and an answer has each of its fields. */
    private void complete(String name, Schema schema) {
        List<Object> names = schema.getEnumeration();
        if (names != null) {
            schema.setEnumeration(names.stream()
                    .map(constant -> (Object) constant.toString().toLowerCase(Locale.ROOT))
                    .toList());
        }
        Map<String, Schema> fields = schema.getProperties();
        Schema others = schema.getAdditionalPropertiesSchema();
        boolean body = others != null && Boolean.FALSE.equals(others.getBooleanSchema());
        if (fields != null && !body && !absent.contains(name + ".*")) {
            schema.setRequired(fields.keySet().stream()
                    .filter(field -> !absent.contains(name + "." + field))
                    .toList());
        }
    }
}
