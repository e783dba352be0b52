package dev.holdfast.keeper.message;

import java.nio.file.Path;

/**
 * The words of the protocol. It only grows: a keeper may be older or newer than the server that talks to it, so nothing
 * here ever changes its meaning, unknown fields are ignored, and an unknown operation is answered with an error.
 *
 * <p>The keeper speaks first: {@code {"hello":"holdfast-keeper","protocol":1,"pid":42}}. Requests carry {@code op};
 * those with a number {@code n} are answered by a line with the same {@code n} and either {@code ok} or {@code error}.
 *
 * <pre>
 * start   id, argv, env, cwd, out, rows, cols
 * write   id, data (base64), eof, limit_ms       -> taken, the bytes the terminal took; without n: never answered
 * resize  id, rows, cols
 * attach  id                                     -> at: `output` events follow from this offset of `out`
 * detach  id
 * screen  id                                     -> screen: {rows, cols, cursor: {row, col, visible}, lines, title,
 *                                                   alternate_screen, used_alternate, whole, paint},
 *                                                   at: what is before it in `out` is on it
 * drain   id                                     when all that was printed so far is in `out`, at most 100 ms
 * list                                           -> terminals: [{id}]
 * </pre>
 *
 * Events carry {@code event}: {@code output} (id, at, data; to attached connections only, and after the bytes are in
 * the file; an {@code at} beyond the last one's end: what is between is in the file), {@code closed} (nobody holds the
 * terminal any more).
 */
public final class Protocol {
    public static final int VERSION = 1;
    /** How the names of keepers' sockets end, in the keepers' folder; before it stands {@link #name}. */
    public static final String SOCKET = ".s";

    public static final String LOCK = ".lock";
    public static final String LOG = "log";

    public static final String HELLO = "hello";
    public static final String NAME = "holdfast-keeper";
    public static final String PROTOCOL = "protocol";

    public static final String NUMBER = "n";
    public static final String OK = "ok";
    public static final String ERROR = "error";

    public static final String OP = "op";
    public static final String START = "start";
    public static final String WRITE = "write";
    public static final String RESIZE = "resize";
    public static final String ATTACH = "attach";
    public static final String DETACH = "detach";
    public static final String SCREEN = "screen";
    public static final String DRAIN = "drain";
    public static final String LIST = "list";

    public static final String EVENT = "event";
    public static final String OUTPUT = "output";
    public static final String CLOSED = "closed";

    public static final String ID = "id";
    public static final String PID = "pid";
    public static final String ARGV = "argv";
    public static final String ENV = "env";
    public static final String CWD = "cwd";
    public static final String OUT = "out";
    public static final String ROWS = "rows";
    public static final String COLS = "cols";
    public static final String DATA = "data";
    public static final String EOF = "eof";
    public static final String LIMIT_MS = "limit_ms";
    public static final String TAKEN = "taken";
    public static final String UNSTORED = "unstored";
    public static final String AT = "at";
    public static final String TERMINALS = "terminals";

    /** How much of an input one {@link #WRITE} should carry, in bytes. */
    public static final int WRITE_CHUNK = 32 * 1024;

    /** A folder may have to be found by a path that is short enough for a socket. */
    private static final int NAME_LENGTH = 8;

    private Protocol() {}

    /** What the keeper that runs from an installation is called; its version, as it were. */
    public static String name(Path installation) {
        String digest = String.valueOf(installation.getFileName());
        return digest.substring(0, Math.min(NAME_LENGTH, digest.length()));
    }
}
