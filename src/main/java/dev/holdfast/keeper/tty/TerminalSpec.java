package dev.holdfast.keeper.tty;

import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What is to run in a terminal. Its environment holds secrets: it is kept no longer than the start takes, and never
 * shown.
 *
 * @param out the file that gets every byte the terminal prints
 */
public record TerminalSpec(
        String id, List<String> argv, Map<String, String> environment, Path cwd, Path out, int rows, int cols) {

    public static TerminalSpec of(Message request) {
        return new TerminalSpec(
                request.text(Protocol.ID),
                request.texts(Protocol.ARGV),
                request.textMap(Protocol.ENV),
                Path.of(request.text(Protocol.CWD)),
                Path.of(request.text(Protocol.OUT)),
                (int) request.number(Protocol.ROWS),
                (int) request.number(Protocol.COLS));
    }

    @Override
    public String toString() {
        return "TerminalSpec[" + id + "]";
    }
}
