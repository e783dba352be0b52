package dev.holdfast.message.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskStatus;
import io.vertx.core.MultiMap;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryParametersTest {
    private static MultiMap given(String query) {
        MultiMap given = MultiMap.caseInsensitiveMultiMap();
        for (String pair : Pattern.compile("&").splitAsStream(query).toList()) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                given.add(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        return given;
    }

    @Test
    void aListIsOfTheActiveUnlessAskedOtherwise() {
        assertThat(QueryParameters.list(given(""))).isEqualTo(TaskStore.Query.newest(StatusFilter.ACTIVE, 20, null));
        assertThat(QueryParameters.list(given("status=all")).filter()).isEqualTo(StatusFilter.ALL);
        assertThat(QueryParameters.list(given("status=ended")).filter()).isEqualTo(StatusFilter.ENDED);
        assertThat(QueryParameters.list(given("status=failed")).status()).isEqualTo(TaskStatus.FAILED);
        var all = QueryParameters.list(
                given("label=a=b=c&label=d=&q=x&limit=100&cursor=task_01ARZ3NDEKTSV4RRFFQ69G5FAV"));
        assertThat(all.labels()).isEqualTo(Map.of("a", "b=c", "d", ""));
        assertThat(all.text()).isEqualTo("x");
        assertThat(all.limit()).isEqualTo(100);
        assertThat(String.valueOf(all.before())).isEqualTo("task_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status=RUNNING",
                "status=",
                "limit=0",
                "limit=101",
                "limit=1.0",
                "limit=",
                "limit=+5",
                "limit=99999999999999999999",
                "label=a",
                "label==b",
                "label=a=1&label=a=2",
                "cursor=5",
                "state=all",
                "limit=1&limit=2"
            })
    void otherListsAreRefused(String query) {
        assertThatThrownBy(() -> QueryParameters.list(given(query))).isInstanceOf(Refusal.class);
    }

    @Test
    void whatWasSeenIsToldUnlessAFreshLookIsAskedFor() {
        assertThat(QueryParameters.task(given(""))).isFalse();
        assertThat(QueryParameters.task(given("fresh=false"))).isFalse();
        assertThat(QueryParameters.task(given("fresh=true"))).isTrue();
        assertThat(QueryParameters.fresh(given("fresh=true&limit=5"))).isTrue();
        for (String other : new String[] {"fresh=1", "fresh=", "fresh=True", "fresh=true&fresh=true", "limit=5"}) {
            assertThatThrownBy(() -> QueryParameters.task(given(other))).isInstanceOf(Refusal.class);
        }
    }

    @Test
    void outputIsTextOfBothFromTheStart() {
        assertThat(QueryParameters.output(given("")))
                .isEqualTo(new QueryParameters.Output(null, null, 65536, Duration.ZERO, false));
        var asked = QueryParameters.output(given("stream=stderr&cursor=-5&max_bytes=1048576&wait_ms=600000&view=raw"));
        assertThat(asked)
                .isEqualTo(new QueryParameters.Output(StreamName.STDERR, "-5", 1048576, Duration.ofMinutes(10), true));
        assertThat(QueryParameters.output(given("max_bytes=1&wait_ms=0")).maxBytes())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stream=out",
                "max_bytes=0",
                "max_bytes=1048577",
                "wait_ms=-1",
                "wait_ms=600001",
                "view=html",
                "bytes=5"
            })
    void otherOutputIsRefused(String query) {
        assertThatThrownBy(() -> QueryParameters.output(given(query))).isInstanceOf(Refusal.class);
    }
}
