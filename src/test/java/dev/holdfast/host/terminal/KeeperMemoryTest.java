package dev.holdfast.host.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A keeper has little memory, and all terminals in it: nothing that is said to it may cost one. */
class KeeperMemoryTest extends BenchedTest {
    private static final int MIB = 1024 * 1024;

    private TaskId id;
    private long keeper;

    @BeforeEach
    void aTerminalIsHeld() {
        id = bench.start("while read -r line; do echo \"got $line\"; done");
        assertThat(bench.type(id, "first\n")).isEqualTo(6);
        bench.awaitPrinted(id, "got first");
        keeper = bench.keeperPid();
    }

    private void stillWorks() {
        assertThat(bench.type(id, "last\n")).isEqualTo(5);
        bench.awaitPrinted(id, "got last");
        TaskId another = bench.start("echo hello");
        bench.awaitPrinted(another, "hello");
        assertThat(bench.keeperPid()).isEqualTo(keeper);
    }

    private Path socket() {
        return bench.socket(bench.installation(keeper));
    }

    /** How much it takes of a request that does not end, until it hangs up. */
    private static long takes(SocketChannel channel, int most) {
        ByteBuffer piece = ByteBuffer.allocate(MIB / 4);
        long taken = 0;
        try {
            while (taken < most) {
                taken += channel.write(piece.clear());
            }
        } catch (IOException hungUp) {
            return taken;
        }
        return taken;
    }

    @Test
    void aRequestThatDoesNotEndIsNotKept() throws IOException {
        for (int round = 0; round < 3; round++) {
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
                assertThat(takes(channel, 64 * MIB)).isBetween(2L * MIB, 8L * MIB);
            }
        }
        stillWorks();
    }

    @Test
    void manyThatDoNotEndAtOnceAreNotKeptEither() throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try {
            for (int i = 0; i < 80; i++) {
                SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()));
                channels.add(channel);
                takes(channel, 3 * MIB / 2);
            }
            stillWorks();
        } finally {
            for (SocketChannel channel : channels) {
                channel.close();
            }
        }
    }

    /** Each asks for the screen again and again, and reads nothing of it. */
    @Test
    void manyThatDoNotListenCostNothing() throws IOException {
        bench.type(id, "x".repeat(3000) + "\n");
        byte[] request = Message.empty()
                .with(Protocol.NUMBER, 1L)
                .with(Protocol.OP, Protocol.SCREEN)
                .with(Protocol.ID, id.value())
                .line();
        ByteBuffer requests = ByteBuffer.allocate(request.length * 2000);
        for (int i = 0; i < 2000; i++) {
            requests.put(request);
        }
        List<SocketChannel> channels = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()));
                channels.add(channel);
                channel.configureBlocking(false);
                channel.write(requests.duplicate().flip());
            }
            stillWorks();
        } catch (IOException hungUp) {
            stillWorks();
        } finally {
            for (SocketChannel channel : channels) {
                channel.close();
            }
        }
    }

    @Test
    void aStartThatIsTooLargeIsRefusedHere() {
        Map<String, String> large = Map.of("LARGE", "x".repeat(3 * MIB));
        assertThatThrownBy(() -> bench.start("true", TerminalSize.DEFAULT, Path.of("/"), large))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("may take " + 2 * MIB);
        stillWorks();
    }
}
