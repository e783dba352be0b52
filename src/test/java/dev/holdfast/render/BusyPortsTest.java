package dev.holdfast.render;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BusyPortsTest {
    /** As these programs print it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Error: listen EADDRINUSE: address already in use :::3000 | 3000",
                "[12:22:45] Error: listen EADDRINUSE: address already in use 127.0.0.1:3000 | 3000",
                "2026/03/01 12:22:45 listen tcp :8080: bind: address already in use | 8080",
                "nginx: [emerg] bind() to 0.0.0.0:8081 failed (98: Address already in use) | 98",
                "OSError: [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use | 8000",
                "Bind for 0.0.0.0:5432 failed: port is already allocated | 5432",
                "Error: Port 5173 is already in use | 5173",
                "Web server failed to start. Port 8080 was already in use. | 8080",
                "Address already in use - bind(2) for \"127.0.0.1\" port 3000 (Errno::EADDRINUSE) | 3000",
                "Port 5000 is in use by another program. | 5000"
            })
    void readsThePortInTheLine(String line, int port) {
        assertThat(BusyPorts.in("starting\n" + line + "\nbye\n", "serve")).startsWith(port);
    }

    @Test
    void readsWhatComesNextWhereTheFirstIsNone() {
        assertThat(BusyPorts.in("bind() to 0.0.0.0:8081 failed (98: Address already in use)", ""))
                .containsExactly(98, 8081);
        assertThat(BusyPorts.in("  code: 'EADDRINUSE',\n  errno: -98,\n  address: '::',\n  port: 3000\n", ""))
                .containsExactly(3000);
        assertThat(BusyPorts.in("OSError: [Errno 98] Address already in use", "python3 -m http.server 8000"))
                .containsExactly(98, 8000);
        assertThat(BusyPorts.in("Address already in use", "serve 10.0.0.1:8000 v1.25 a80 99999 0"))
                .containsExactly(8000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no such file: 3000", "Email address 3000 is unknown", "port 3000 open"})
    void findsNoneWhereNoneIsTold(String output) {
        assertThat(BusyPorts.in(output, "serve --port 3000")).isEmpty();
    }
}
