package dev.holdfast.host.launch;

import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.task.Exit;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A task's {@code rc}: blanks, allocated before the spawn so that a full disk cannot lose the exit, which the launcher
 * overwrites in place with {@code exit N}. It is complete with that line's end only. Before it the launcher's shell has
 * noted a death by signal ({@code Killed}), but for SIGINT and SIGPIPE, of which it says nothing.
 */
public final class ExitFile {
    private static final int LENGTH = 64;
    /** With the note of a shell that quotes its script, as bash does. */
    private static final int LONGEST = 4096;

    private static final byte[] BLANK = " ".repeat(LENGTH).getBytes(StandardCharsets.US_ASCII);
    private static final Pattern COMPLETE = Pattern.compile("(?s)(.*?)\\s*exit (\\d{1,3})\\n *");
    /** Written by the launcher of a command whose terminal was gone when it ended. */
    private static final Pattern LOST = Pattern.compile("(?s).*?lost\\n *");

    private static final int SIGNALLED = 128;
    private static final int SIGINT = 2;
    private static final int SIGPIPE = 13;

    private ExitFile() {}

    public static void allocate(Path file) {
        Descriptor.create(file, BLANK);
    }

    /**
     * What the launcher recorded. A death by SIGINT or SIGPIPE reads as a code, unless it was put down by
     * {@link #record}.
     *
     * @return empty as long as it is not complete, or is not there
     * @throws ErrnoException when there is no descriptor to read it by
     */
    public static Optional<Exit> read(Path file) {
        return content(file).flatMap(ExitFile::parse);
    }

    /** The signal that this may have been, of which the shell says nothing; 0 when it was none. */
    public static int unnotedSignal(Exit exit) {
        int signal = exit instanceof Exit.Code(int status) ? status - SIGNALLED : 0;
        return signal == SIGINT || signal == SIGPIPE ? signal : 0;
    }

    /** Of {@code endingDetails}, where nobody but the shell saw it: the signal that it may have been. */
    public static Map<String, String> doubt(Exit exit) {
        int signal = unnotedSignal(exit);
        return signal == 0 ? Map.of() : Map.of("may_be_signal", SignalNames.of(signal));
    }

    /** What a shell gives for it in {@code $?}. */
    public static int shellCode(WaitStatus status) {
        return status.signal() == 0 ? status.code() : SIGNALLED + status.signal();
    }

    static Optional<Exit> parse(String text) {
        Matcher matcher = COMPLETE.matcher(text);
        if (!matcher.matches()) {
            return LOST.matcher(text).matches() ? Optional.of(new Exit.Unseen(false)) : Optional.empty();
        }
        boolean noted = !matcher.group(1).isBlank();
        int status = Integer.parseInt(matcher.group(2));
        int signal = status - SIGNALLED;
        if (SignalNames.known(signal) && noted) {
            return Optional.of(new Exit.Signalled(SignalNames.of(signal)));
        }
        return Optional.of(new Exit.Code(status));
    }

    /** Puts down what was seen without the launcher, so that it is known after a restart too. */
    public static Exit record(Path file, WaitStatus status) {
        int signal = status.signal();
        String text = (signal == 0 ? "exit " : "signal\nexit ") + shellCode(status) + "\n";
        byte[] bytes = (text + " ".repeat(LENGTH - text.length())).getBytes(StandardCharsets.US_ASCII);
        try (Descriptor open = Descriptor.open(file, Descriptor.WRITE, 0)) {
            open.write(bytes, 0, bytes.length);
        } catch (ErrnoException e) {
            // The folder is gone or read-only: this server still knows.
        }
        return signal == 0 ? new Exit.Code(status.code()) : new Exit.Signalled(SignalNames.of(signal));
    }

    private static Optional<String> content(Path file) {
        try (Descriptor open = Descriptor.open(file, Descriptor.READ | Descriptor.NON_BLOCKING, 0)) {
            byte[] bytes = open.read(LONGEST);
            return Optional.of(new String(bytes, StandardCharsets.ISO_8859_1));
        } catch (ErrnoException e) {
            if (e.isExhaustion()) {
                throw e;
            }
            return Optional.empty();
        }
    }
}
