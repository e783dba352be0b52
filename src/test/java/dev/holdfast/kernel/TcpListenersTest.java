package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TcpListenersTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void tellsListenersAndNotConnections(String host) throws Exception {
        InetAddress address = InetAddress.getByName(host);
        int port;
        try (ServerSocket listener = new ServerSocket(0, 1, address);
                Socket connection = new Socket(address, listener.getLocalPort())) {
            port = listener.getLocalPort();
            assertThat(TcpListeners.portsByInode().orElseThrow())
                    .containsValue(port)
                    .doesNotContainValue(connection.getLocalPort());
        }
        assertThat(TcpListeners.portsByInode().orElseThrow()).doesNotContainValue(port);
    }
}
