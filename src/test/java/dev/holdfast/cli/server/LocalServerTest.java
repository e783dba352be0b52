package dev.holdfast.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.terminal.Failure;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocalServerTest {
    private static String address(Map<String, String> settings) {
        return new LocalServer(settings, "holdfast").uri("").toString();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.2, http://127.0.0.2:7420",
        "0.0.0.0, http://127.0.0.1:7420",
        "::, http://[::1]:7420",
        "fd00::7, http://[fd00::7]:7420",
        "box, http://box:7420"
    })
    void itIsCalledWhereItListens(String host, String address) {
        assertThat(address(Map.of("QUARKUS_HTTP_HOST", host))).isEqualTo(address);
    }

    @Test
    void anEmptyTokenIsAnError() {
        assertThatThrownBy(() -> new LocalServer(Map.of("HOLDFAST_TOKEN", " "), "holdfast"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("HOLDFAST_TOKEN is empty");
    }

    @Test
    void whatIsEmptyIsNotSet() {
        assertThat(address(Map.of("HOLDFAST_URL", "", "QUARKUS_HTTP_PORT", " ")))
                .isEqualTo("http://127.0.0.1:7420");
        assertThat(new LocalServer(Map.of("HOLDFAST_DATA_DIR", ""), "holdfast").data())
                .isEqualTo(Path.of(System.getProperty("user.home"), ".holdfast"));
        assertThat(new LocalServer(Map.of("HOME", "/other"), "holdfast").data()).isEqualTo(Path.of("/other/.holdfast"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ftp://127.0.0.1", "here", "http:///", "http://a b", "http://box:99999", "file:///etc/passwd"})
    void whatCannotBeCalledIsSaidAndIsNotThisMachine(String url) {
        var api = new Api(Map.of("HOLDFAST_URL", url, "HOLDFAST_TOKEN", "x"));
        assertThatThrownBy(() -> api.get("/v1/tasks"))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith("the address cannot be called");
        assertThat(api.isLocal()).isFalse();
    }

    /** What is printed may be kept by whoever started us. */
    @ParameterizedTest
    @ValueSource(strings = {"sekret1\nsekret2", "sekret1\u0007", "sekret1\u4e00"})
    void aTokenThatNoHeaderMayHaveIsNotShown(String token) {
        var api = new Api(Map.of("HOLDFAST_URL", "http://127.0.0.1:1", "HOLDFAST_TOKEN", token));
        assertThatThrownBy(() -> api.get("/v1/tasks"))
                .isInstanceOf(Failure.class)
                .hasNoCause()
                .hasMessage("the token in --token or HOLDFAST_TOKEN has a character that no header may have");
    }

    @Test
    void aTokenOfTheDataFolderIsSaidToBeThere(@TempDir Path data) throws Exception {
        assertUnsendable(data, "sekret1\nsekret2\n".getBytes(StandardCharsets.UTF_8));
        assertUnsendable(data, new byte[] {(byte) 0xff, (byte) 0xfe});
    }

    private static void assertUnsendable(Path data, byte[] token) throws Exception {
        Files.write(data.resolve("token"), token);
        var api = new Api(Map.of("HOLDFAST_URL", "http://127.0.0.1:1", "HOLDFAST_DATA_DIR", data.toString()));
        assertThatThrownBy(() -> api.get("/v1/tasks"))
                .isInstanceOf(Failure.class)
                .hasMessage("the token in " + data.resolve("token") + " has a character that no header may have");
    }
}
