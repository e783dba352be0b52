package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections 1 and 9: who may call, and what is kept from whom. */
class SecurityIT {
    private static final String SECRET = "sesame-1f6e2d7c";

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer()
            .with("GITHUB_TOKEN", SECRET)
            .with("AWS_SECRET_ACCESS_KEY", SECRET)
            .with("DB_PASSWORD", SECRET)
            .with("MY_API_KEY", SECRET)
            .with("HARMLESS_SETTING", "harmless");

    private final Calls http = SERVER.calls();

    @ParameterizedTest
    @ValueSource(strings = {"/v1/tasks", "/v1/events", "/v1/nothing", "/q/openapi", "/q/metrics", "/nothing"})
    void withoutTheTokenNothingIsShown(String path) {
        Answer none = SERVER.send(HttpRequest.newBuilder(SERVER.uri(path)).build());
        Answer wrong = SERVER.send(HttpRequest.newBuilder(SERVER.uri(path))
                .header("Authorization", "Bearer wrong")
                .build());

        none.refused(401, "unauthorized");
        wrong.refused(401, "unauthorized");
        assertThat(none.header("WWW-Authenticate")).startsWith("Bearer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer", "Bearer ", "Basic TOKEN", "TOKEN", "bearer TOKENx", "Bearer TOKE"})
    void onlyTheTokenItselfIsTheToken(String pattern) throws Exception {
        String value = pattern.replace("TOKEN", SERVER.token())
                .replace("TOKE", SERVER.token().substring(1));

        assertThat(statusOf("touch refused", "Host: 127.0.0.1:" + SERVER.port(), "Authorization: " + value))
                .isEqualTo(401);
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }

    /** Long headers are refused while they come, so that who has no token cannot make the server hold them. */
    @ParameterizedTest
    @ValueSource(ints = {20 << 10, 200 << 10, 4 << 20})
    void headersThatAreTooLongAreRefused(int length) throws Exception {
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            client.send("GET /v1/tasks HTTP/1.1\r\n" + local() + "\r\nLast-Event-ID: ");
            client.flood(length);
            assertThat(client.status()).isIn(431, 0);
        }
        assertThat(http.get("/v1/tasks", "Last-Event-ID", "x".repeat(15 << 10)).status())
                .isEqualTo(200);
    }

    @Test
    void healthNeedsNoToken() {
        for (String path : List.of("/q/health", "/q/health/ready", "/q/health/live")) {
            assertThat(SERVER.send(HttpRequest.newBuilder(SERVER.uri(path)).build())
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void withTheTokenApiDescriptionAndMetricsAreShown() {
        assertThat(http.get("/q/openapi").hasStatus(200).body())
                .contains("/v1/commands")
                .contains("/v1/tasks/{");
        assertThat(http.get("/q/metrics").hasStatus(200).body()).contains("jvm_");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://evil.example", "https://evil.example", "null", "http://127.0.0.1.evil.example", "file://"
            })
    void aPageOfAnotherOriginStartsNothing(String origin) throws Exception {
        assertThat(statusOf("touch refused", local(), token(), "Origin: " + origin))
                .isEqualTo(403);
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example", "evil.example:7420", "127.0.0.1.evil.example", "localhost.evil.example", "0x7f.1"
            })
    void aNameThatPointsHereStartsNothing(String host) throws Exception {
        assertThat(statusOf("touch refused", "Host: " + host, token())).isEqualTo(403);
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "[::1]"})
    void theLoopbackNamesAreAllowed(String host) throws Exception {
        assertThat(statusOf("true", "Host: " + host + ":" + SERVER.port(), token()))
                .isEqualTo(200);
    }

    @Test
    void aPreflightOfAnotherOriginGrantsNothing() throws Exception {
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            client.send(
                    "",
                    "OPTIONS /v1/commands HTTP/1.1",
                    local(),
                    "Origin: http://evil.example",
                    "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: authorization,content-type");
            assertThat(client.answer().toLowerCase(java.util.Locale.ROOT))
                    .doesNotContain("access-control-allow-origin: http://evil");
        }
    }

    @Test
    void itListensOnTheLoopbackOnly() throws Exception {
        for (NetworkInterface network : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress address : network.inetAddresses().toList()) {
                if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
                    assertThat(accepts(address)).as(address.toString()).isFalse();
                }
            }
        }
    }

    private static boolean accepts(InetAddress address) {
        try (var socket = new Socket(address, SERVER.port())) {
            return socket.isConnected();
        } catch (java.io.IOException e) {
            return false; // refused, as it should be
        }
    }

    @Test
    void theDataFolderIsItsOwnersAlone() throws Exception {
        String id = http.start("sleep 60");

        assertThat(mode(SERVER.data())).isEqualTo("rwx------");
        assertThat(mode(SERVER.data().resolve("token"))).isEqualTo("rw-------");
        assertThat(mode(SERVER.taskFolder(id))).isEqualTo("rwx------");
        assertThat(SERVER.token().length()).isGreaterThanOrEqualTo(32);
        http.stop(id, "force", true);
    }

    @Test
    void theServersSecretsAreNotInherited() {
        String environment = http.run("env").completed().text("/stdout_preview");

        assertThat(environment)
                .contains("HARMLESS_SETTING=harmless")
                .contains("PATH=")
                .doesNotContain(SECRET);
        assertThat(environment).doesNotContain("HOLDFAST_TOKEN").doesNotContain(SERVER.token());
    }

    @Test
    void valuesOfTheEnvironmentAreNeverStoredOrReturned() throws Exception {
        String value = "value-93b1c07e";
        String id = http.start("sleep 61", "env", Map.of("HIDDEN", value));
        Answer refused = http.run("sleep 61", "workdir", "nowhere", "env", Map.of("HIDDEN", value));

        assertThat(http.get("/v1/tasks/" + id).body()).contains("HIDDEN").doesNotContain(value);
        assertThat(refused.body()).doesNotContain(value);
        assertThat(SERVER.log())
                .doesNotContain(value)
                .doesNotContain(SERVER.token())
                .doesNotContain(SECRET);
        http.stop(id, "force", true);
        SERVER.terminate();
        for (Path file : Folders.files(SERVER.data())) {
            assertThat(contains(Files.readAllBytes(file), value))
                    .as(file.toString())
                    .isFalse();
        }
        SERVER.start();
    }

    private static boolean contains(byte[] bytes, String text) {
        byte[] wanted = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i + wanted.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                return true;
            }
        }
        return false;
    }

    private static int statusOf(String cmd, String... headers) throws Exception {
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            var head =
                    new java.util.ArrayList<>(List.of("POST /v1/commands HTTP/1.1", "Content-Type: application/json"));
            head.addAll(List.of(headers));
            client.send(Json.write(command(cmd)), head.toArray(String[]::new));
            return client.status();
        }
    }

    private static String local() {
        return "Host: 127.0.0.1:" + SERVER.port();
    }

    private static String token() {
        return "Authorization: Bearer " + SERVER.token();
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
