package dev.holdfast.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.feed.FeedEvent;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StreamTest {
    @Test
    void anEventIsThreeLinesAndABlankOne() {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("task_id", "task_1");
        data.put("text", "a\r\nb\"é");
        data.put("from", 5L);
        data.put("waiting", null);
        data.put("ports", List.of(80, 81));

        String text = EventStream.text(
                        List.of(new FeedEvent("7.3", "output", data), new FeedEvent("8", "status", Map.of("x", true))))
                .toString(StandardCharsets.UTF_8);

        assertThat(text).isEqualTo("""
                id: 7.3
                event: output
                data: {"task_id":"task_1","text":"a\\r\\nb\\"é","from":5,"waiting":null,"ports":[80,81]}

                id: 8
                event: status
                data: {"x":true}

                """);
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 0, 0",
        "bytes=0-99, 0, 99",
        "bytes=5-, 5, 99",
        "bytes=90-1000, 90, 99",
        "bytes=-1, 99, 99",
        "bytes=-1000, 0, 99",
        "bytes = 1 - 2 , 1, 2",
        "Bytes=1-2, 1, 2",
        "bytes=90-99999999999999999999, 90, 99",
        "bytes=-99999999999999999999, 0, 99",
        "bytes=0000000000000000000000098-, 98, 99"
    })
    void rangesOfAHundredBytes(String header, long first, long last) {
        assertThat(ByteRange.parse(header, 100)).contains(new ByteRange(first, last));
        assertThat(ByteRange.parse(header, 100).map(ByteRange::empty)).contains(false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"})
    void rangesWithNothingInThem(String header) {
        assertThat(ByteRange.parse(header, 100).map(ByteRange::empty)).contains(true);
        assertThat(ByteRange.parse("bytes=0-", 0).map(ByteRange::empty)).contains(true);
        assertThat(ByteRange.parse("bytes=-5", 0).map(ByteRange::empty)).contains(true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "bytes=", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=1"})
    void otherHeadersDoNotCount(String header) {
        assertThat(ByteRange.parse(header, 100)).isEqualTo(Optional.empty());
    }
}
