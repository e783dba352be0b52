package dev.holdfast.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnFlagsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java -jar target/quarkus-app/quarkus-run.jar",
                "/opt/jdk/bin/java -jar quarkus-run.jar",
                "java -Dquarkus.http.port=1 -Dname=with=signs -jar /srv/quarkus-run.jar",
                "java -jar quarkus-run.jar one -Xmx1g two",
            })
    void goBeforeAllElse(String line) {
        List<String> given = List.of(line.split(" "));
        List<String> expected = new ArrayList<>(List.of(given.getFirst()));
        expected.addAll(OwnFlags.FLAGS);
        expected.addAll(given.subList(1, given.size()));
        assertThat(OwnFlags.added(given)).contains(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java -Xmx1g -jar quarkus-run.jar",
                "java -XX:+UseG1GC -Da=b -jar quarkus-run.jar",
                "java -Da=b -agentlib:jdwp=transport=dt_socket -jar quarkus-run.jar",
                "java @options -jar quarkus-run.jar",
                "java -jar holdfast-dev.jar",
                "java -cp classes dev.holdfast.Other quarkus-run.jar",
                "java -jar",
                "java",
                "",
            })
    void areLeftOutWhereTheyAreNotAskedFor(String line) {
        assertThat(OwnFlags.added(List.of(line.split(" ")))).isEmpty();
    }

    @Test
    void areNotAddedTwice() {
        List<String> once =
                OwnFlags.added(List.of("java", "-jar", "quarkus-run.jar")).orElseThrow();
        assertThat(OwnFlags.added(once)).isEmpty();
    }
}
