package dev.holdfast.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keeper's door, spoken to line by line: the loop runs in this process. */
@Timeout(180)
class KeeperProtocolTest {
    @TempDir
    Path folder;

    Path socket;
    Thread loop;
    /** Who needs it for as long as the test goes on, however slowly. */
    KeeperLine needs;

    @BeforeEach
    void serve() throws IOException {
        socket = folder.resolve("s");
        ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        door.bind(UnixDomainSocketAddress.of(socket));
        needs = KeeperLine.to(socket);
        KeeperLoop keeper = new KeeperLoop(door, Duration.ofMillis(300));
        loop = Thread.ofPlatform().start(() -> {
            try (door) {
                keeper.run();
            } catch (IOException broken) {
                throw new AssertionError(broken);
            }
        });
    }

    @AfterEach
    void isNotNeeded() throws IOException, InterruptedException {
        needs.close();
        assertThat(loop.join(Duration.ofSeconds(20))).as("it left").isTrue();
    }

    @Test
    void itSaysFirstWhoItIs() throws IOException {
        try (KeeperLine client = KeeperLine.to(socket)) {
            Message hello = client.receive();
            assertThat(hello.text(Protocol.HELLO)).isEqualTo("holdfast-keeper");
            assertThat(hello.number(Protocol.PROTOCOL)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no json",
                "{}",
                "{\"op\":7}",
                "{\"op\":\"fly\"}",
                "{\"op\":\"start\"}",
                "{\"op\":\"start\",\"id\":\"a\",\"argv\":[\"x\"],\"env\":{},\"cwd\":\"/nowhere\",\"out\":\"/tmp/\\u0000\","
                        + "\"rows\":1,\"cols\":1}",
                "{\"op\":\"attach\",\"id\":\"nobody\"}",
                "{\"op\":\"resize\",\"id\":\"nobody\",\"rows\":1,\"cols\":1}",
                "{\"op\":\"drain\"}",
                "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
            })
    void whatMakesNoSenseIsAnsweredWithAnErrorAndHarmsNothing(String line) throws IOException {
        try (KeeperLine client = client()) {
            client.send(line.startsWith("{\"") ? line.replaceFirst("\\{", "{\"n\":5,") : line);
            Message answer = client.receive();
            assertThat(answer.text(Protocol.ERROR)).isNotBlank();
            assertThat(answer.has(Protocol.NUMBER)).isEqualTo(line.startsWith("{\""));
            client.send("{\"op\":\"list\",\"n\":6,\"a field of next year\":{\"x\":[1]}}");
            assertThat(client.receive().number(Protocol.NUMBER)).isEqualTo(6);
        }
    }

    @Test
    void aTerminalThatCannotStartIsAnError() throws IOException {
        try (KeeperLine client = client()) {
            client.send(start("a", "/nowhere", "true"));
            assertThat(client.receive().text(Protocol.ERROR)).contains("/nowhere is not a directory");
            assertThat(client.receive().text(Protocol.EVENT)).isEqualTo(Protocol.CLOSED);
        }
    }

    @Test
    void itsEndIsTold() throws IOException {
        try (KeeperLine client = client()) {
            client.send(start("a", "/", "echo word"));
            assertThat(client.receive().flag(Protocol.OK)).isTrue();
            assertThat(client.receive().text(Protocol.EVENT)).isEqualTo(Protocol.CLOSED);
            assertThat(folder.resolve("a")).hasContent("word\r\n");
        }
    }

    @Test
    void theSameTerminalIsNotStartedTwice() throws IOException {
        try (KeeperLine client = client()) {
            client.send(start("a", "/", "read -r line"));
            assertThat(client.receive().flag(Protocol.OK)).isTrue();
            client.send(start("a", "/", "read -r line"));
            assertThat(client.receive().text(Protocol.ERROR)).contains("held already");
            client.send("{\"op\":\"write\",\"id\":\"a\",\"data\":\"\",\"eof\":true}");
            assertThat(client.receive().text(Protocol.EVENT)).isEqualTo(Protocol.CLOSED);
        }
    }

    @Test
    void whoDoesNotReadHoldsUpNothingAndIsToldLaterWhereTheOutputIs() throws IOException {
        try (KeeperLine deaf = client();
                KeeperLine other = client()) {
            deaf.send(start("a", "/", "read -r go; seq 1 300000; read -r more; echo end"));
            assertThat(deaf.receive().flag(Protocol.OK)).isTrue();
            deaf.send("{\"op\":\"attach\",\"id\":\"a\"}");
            other.send(write("a", "go\n"));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> Files.readString(folder.resolve("a")).endsWith("300000\r\n"));
            long printed = Files.size(folder.resolve("a"));
            assertThat(deaf.receive().number(Protocol.AT)).isZero();
            long next = 0;
            boolean skipped = false;
            while (next < printed) {
                Message output = deaf.receive();
                skipped |= output.number(Protocol.AT) > next;
                next = output.number(Protocol.AT) + output.bytes(Protocol.DATA).length;
            }
            assertThat(skipped).isTrue();
            assertThat(next).isEqualTo(printed);
            other.send(write("a", "more\n"));
            assertThat(deaf.receive().number(Protocol.AT)).isEqualTo(printed);
        }
    }

    @Test
    void whoDidNotReadIsToldOfAllTheOutputBeforeTheEnd() throws IOException {
        try (KeeperLine deaf = client();
                KeeperLine other = client()) {
            deaf.send(start("a", "/", "read -r go; seq 1 300000"));
            assertThat(deaf.receive().flag(Protocol.OK)).isTrue();
            deaf.send("{\"op\":\"attach\",\"id\":\"a\",\"n\":2}");
            assertThat(deaf.receive().number(Protocol.NUMBER)).isEqualTo(2);
            other.send(write("a", "go\n"));
            assertThat(other.receive().text(Protocol.EVENT)).isEqualTo(Protocol.CLOSED);
            long next = 0;
            Message event = deaf.receive();
            for (; !event.text(Protocol.EVENT).equals(Protocol.CLOSED); event = deaf.receive()) {
                next = event.number(Protocol.AT) + event.bytes(Protocol.DATA).length;
            }
            assertThat(next).isEqualTo(Files.size(folder.resolve("a"))).isGreaterThan(2_000_000);
        }
    }

    private String start(String id, String cwd, String script) {
        return new String(
                Message.empty()
                        .with(Protocol.OP, Protocol.START)
                        .with(Protocol.NUMBER, 1)
                        .with(Protocol.ID, id)
                        .with(Protocol.ARGV, List.of("/bin/sh", "-c", script))
                        .with(Protocol.ENV, Map.of("PATH", "/usr/bin:/bin"))
                        .with(Protocol.CWD, cwd)
                        .with(Protocol.OUT, folder.resolve(id).toString())
                        .with(Protocol.ROWS, 24)
                        .with(Protocol.COLS, 80)
                        .line(),
                StandardCharsets.UTF_8);
    }

    private static String write(String id, String text) {
        return new String(
                Message.empty()
                        .with(Protocol.OP, Protocol.WRITE)
                        .with(Protocol.ID, id)
                        .withBytes(Protocol.DATA, text.getBytes(StandardCharsets.UTF_8))
                        .line(),
                StandardCharsets.UTF_8);
    }

    /** A server that has read who the keeper is. */
    private KeeperLine client() throws IOException {
        KeeperLine line = KeeperLine.to(socket);
        line.receive();
        return line;
    }
}
