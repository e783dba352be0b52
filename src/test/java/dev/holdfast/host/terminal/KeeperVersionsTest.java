package dev.holdfast.host.terminal;

import static dev.holdfast.host.terminal.TerminalBench.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.terminal.TerminalBench.Recorder;
import dev.holdfast.keeper.KeeperLine;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A server and a keeper of which one is older: what one says and the other does not know harms nothing. */
class KeeperVersionsTest extends BenchedTest {
    private static final TaskId ID = new TaskId("task_01J00000000000000000000000");

    @Test
    void aKeeperRefusesWhatANewerServerAsksAndDoesTheRest() throws Exception {
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        try (KeeperLine server = KeeperLine.to(bench.socket(bench.installation(bench.keeperPid())))) {
            assertThat(server.receive().text(Protocol.HELLO)).isEqualTo(Protocol.NAME);
            server.send("{\"op\":\"fly\",\"id\":\"" + id + "\",\"n\":1}");
            assertThat(server.receive().text(Protocol.ERROR)).contains("does not know", "fly");
            server.send("{\"hello\":\"holdfast-server\",\"protocol\":99}");
            assertThat(server.receive().has(Protocol.ERROR)).isTrue();
            server.send("{\"op\":\"resize\",\"id\":\"" + id
                    + "\",\"n\":2,\"rows\":7,\"cols\":9,\"pixels\":{\"x\":[1,2.5,null]},\"why\":\"\"}");
            assertThat(server.receive().flag(Protocol.OK)).isTrue();
            server.send("{\"op\":\"list\",\"n\":3,\"since\":\"always\"}");
            assertThat(server.receive().messages(Protocol.TERMINALS)).hasSize(1);
        }
        bench.type(id, "on\n");
        bench.awaitPrinted(id, "<on>");
    }

    @Test
    void aServerUnderstandsWhatItKnowsOfANewerKeeper() throws Exception {
        try (Stub keeper = new Stub()) {
            bench.replaceServer();
            assertThat(bench.holds(ID)).isTrue();
            Recorder recorder = new Recorder();
            bench.host.attach(ID, recorder);
            keeper.say("{\"event\":\"bell\",\"id\":\"" + ID + "\"}");
            keeper.say("{\"event\":\"weather\"}");
            keeper.say("{\"news\":true}");
            keeper.say("{\"n\":77,\"ok\":true}");
            keeper.say("{\"event\":\"output\",\"id\":\"" + ID + "\",\"at\":5,\"data\":\"aGk=\",\"colour\":[\"red\"]}");
            await().atMost(LIMIT).until(() -> recorder.text().equals("hi"));
            assertThat(bench.type(ID, "abc")).isEqualTo(3);
            keeper.say("{\"event\":\"closed\",\"id\":\"" + ID + "\",\"because\":\"ended\"}");
            await().atMost(LIMIT).until(recorder::closed);
        }
    }

    @Test
    void anOlderKeeperRefusesAndGoesOnAndGetsNoNewTerminal() throws Exception {
        try (Stub keeper = new Stub()) {
            bench.replaceServer();
            assertThat(bench.holds(ID)).isTrue();
            assertThatCode(() -> bench.host.resize(ID, new TerminalSize(7, 9))).doesNotThrowAnyException();
            assertThat(keeper.asked).contains(Protocol.RESIZE);
            Path out = TaskFolder.of(dataDir, ID).output(StreamName.STDOUT);
            Files.createDirectories(out.getParent());
            Files.writeString(out, "printed\r\n$ ");
            assertThat(bench.host.screen(ID, new TerminalSize(2, 20)).lines()).containsExactly("printed", "$");
            assertThat(keeper.asked).contains(Protocol.SCREEN);
            assertThat(bench.type(ID, "abc")).isEqualTo(3);
            TaskId young = bench.start("read -r line; echo \"<$line>\"");
            bench.type(young, "new\n");
            bench.awaitPrinted(young, "<new>");
            assertThat(bench.holds(ID)).isTrue();
            assertThat(keeper.asked).doesNotContain(Protocol.START);
        }
        await().atMost(LIMIT).until(() -> !bench.holds(ID));
    }

    /** A keeper of another version that holds {@link #ID}, cannot resize, and takes whatever is typed. */
    private final class Stub implements AutoCloseable {
        final List<String> asked = new CopyOnWriteArrayList<>();
        private final Path socket;
        private final ServerSocketChannel door;
        private volatile KeeperLine server;

        Stub() throws IOException {
            Path folder = Files.createDirectories(dataDir.resolve("keeper"));
            socket = folder.resolve("0ther" + Protocol.SOCKET);
            door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            door.bind(UnixDomainSocketAddress.of(socket));
            Thread.ofPlatform().daemon().start(this::serve);
        }

        private void serve() {
            try {
                server = KeeperLine.of(door.accept());
                say("{\"hello\":\"holdfast-keeper\",\"protocol\":2,\"pid\":1,\"can\":[\"fly\"]}");
                String line;
                while ((line = server.lines().readLine()) != null) {
                    answer(Message.parse(line.getBytes(StandardCharsets.UTF_8)));
                }
            } catch (IOException closed) {
                // By the test, which is over.
            }
        }

        private void answer(Message request) {
            String operation = request.text(Protocol.OP);
            asked.add(operation);
            String answer = "{\"n\":" + request.fields().get(Protocol.NUMBER);
            switch (operation) {
                case Protocol.LIST ->
                    say(answer + ",\"ok\":true,\"terminals\":[{\"id\":\"" + ID
                            + "\",\"pid\":1,\"at\":5,\"ended\":false,\"title\":\"x\"},{\"id\":\"no task\"}]}");
                case Protocol.ATTACH -> say(answer + ",\"ok\":true,\"at\":5,\"screen\":{}}");
                case Protocol.WRITE -> say(answer + ",\"ok\":true,\"taken\":3,\"queued\":0}");
                default -> say(answer + ",\"error\":\"this keeper does not know `op` " + operation + "\"}");
            }
        }

        void say(String line) {
            try {
                server.send(line);
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
        }

        @Override
        public void close() throws IOException {
            door.close();
            server.close();
            Files.delete(socket);
        }
    }
}
