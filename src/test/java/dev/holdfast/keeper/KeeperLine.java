package dev.holdfast.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.keeper.message.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One end of a conversation between a server and a keeper, line by line, also of lines that neither would say. */
public record KeeperLine(SocketChannel channel, BufferedReader lines) implements AutoCloseable {
    public static KeeperLine of(SocketChannel channel) {
        return new KeeperLine(channel, new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)));
    }

    /** The keeper says first who it is. */
    public static KeeperLine to(Path socket) throws IOException {
        return of(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    /** With or without the end of the line. */
    public void send(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line.strip() + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    public Message receive() throws IOException {
        String line = lines.readLine();
        assertThat(line).as("the keeper hung up").isNotNull();
        return Message.parse(line.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
