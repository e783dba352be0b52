package dev.holdfast.host.terminal;

import dev.holdfast.host.launch.SmallFile;
import dev.holdfast.keeper.message.LineBuffer;
import dev.holdfast.keeper.message.MalformedMessageException;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.keeper.screen.Picture;
import dev.holdfast.keeper.screen.Screen;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * What stands on the screens of terminals. The keeper tells it as long as it holds one, and has kept it in the task's
 * folder before it says that it does so no longer. Where neither is to be had, for the keeper was killed or is of a
 * build that does not know of screens, it is drawn again from the last of the output. Thread-safe; may block.
 */
final class Screens {
    private static final Logger LOG = System.getLogger(Screens.class.getName());
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    /** From how much of the output a screen is drawn again, in bytes. */
    private static final int LAST = 1024 * 1024;

    private static final int CHUNK = 64 * 1024;

    private final Path dataDir;
    private final Keepers keepers;
    private final MissedOutput output;
    /** One is drawn at a time: the largest takes some 20 MB. */
    private final ReentrantLock drawing = new ReentrantLock();

    Screens(Path dataDir, Keepers keepers, MissedOutput output) {
        this.dataDir = dataDir;
        this.keepers = keepers;
        this.output = output;
    }

    /** @param size the terminal's, where it has to be drawn again */
    TerminalScreen of(TaskId id, TerminalSize size) {
        KeeperLink keeper = keepers.holding(id);
        return Optional.ofNullable(keeper)
                .flatMap(link -> told(link, id, answer -> screen(answer.message(Protocol.SCREEN))))
                .or(() -> kept(id))
                .orElseGet(() -> drawn(id, size));
    }

    /** What paints it, and how much of the output is on it. */
    static Optional<OutputStore.Slice> paint(KeeperLink keeper, TaskId id) {
        return told(keeper, id, answer -> {
            long at = answer.number(Protocol.AT);
            byte[] paint = answer.message(Protocol.SCREEN).text(Picture.PAINT).getBytes(StandardCharsets.UTF_8);
            return new OutputStore.Slice(paint, at, at, List.of());
        });
    }

    /** Empty from a keeper of a former build, or when it has just closed the terminal. */
    private static <T> Optional<T> told(KeeperLink keeper, TaskId id, Function<Message, T> read) {
        KeeperConnection connection = keeper.connected();
        if (connection == null) {
            return Optional.empty();
        }
        Message request = KeeperTerminalHost.about(Protocol.SCREEN, id);
        try {
            return Optional.of(connection.await(connection.ask(request, read), ANSWER_LIMIT));
        } catch (IOException untold) {
            LOG.log(Level.DEBUG, "the keeper does not tell the screen", untold);
            return Optional.empty();
        }
    }

    /** Whether its keeper has put down what stood there at the end, and so all that was printed before. */
    boolean keeps(TaskId id) {
        return Files.exists(TaskFolder.of(dataDir, id).screen());
    }

    private Optional<TerminalScreen> kept(TaskId id) {
        Path file = TaskFolder.of(dataDir, id).screen();
        try {
            return Optional.of(screen(Message.parse(SmallFile.read(file, LineBuffer.MOST_FROM_KEEPER))));
        } catch (NoSuchFileException never) {
            return Optional.empty();
        } catch (IOException | MalformedMessageException unreadable) {
            LOG.log(Level.WARNING, file + " cannot be read, the screen is drawn again from the output", unreadable);
            return Optional.empty();
        }
    }

    private TerminalScreen drawn(TaskId id, TerminalSize size) {
        drawing.lock();
        Screen screen = new Screen(size.rows(), size.cols());
        try {
            long end = TaskFolder.of(dataDir, id)
                    .output(StreamName.STDOUT)
                    .toFile()
                    .length();
            long at = Math.max(0, end - LAST);
            while (at < end) {
                OutputStore.Slice slice = output.read(id, at, (int) Math.min(CHUNK, end - at));
                screen.print(ByteBuffer.wrap(slice.bytes()));
                at = slice.next() > at ? slice.next() : end;
            }
            return screen.picture()
                    .map(picture -> screen(new Message(picture.fields())))
                    .orElseThrow(() -> new IllegalStateException("the screen of " + id + " cannot be drawn"));
        } finally {
            screen.close();
            drawing.unlock();
        }
    }

    /** @throws MalformedMessageException when it is none */
    private static TerminalScreen screen(Message told) {
        Message cursor = told.message("cursor");
        boolean alternate = told.flag("alternate_screen");
        return new TerminalScreen(
                new TerminalSize((int) told.number(Protocol.ROWS), (int) told.number(Protocol.COLS)),
                (int) cursor.number("row"),
                (int) cursor.number("col"),
                cursor.flag("visible"),
                told.texts("lines"),
                told.text("title"),
                alternate,
                alternate || told.flag(Picture.USED_ALTERNATE),
                told.flag(Picture.WHOLE),
                told.text(Picture.PAINT));
    }
}
