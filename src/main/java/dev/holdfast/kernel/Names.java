package dev.holdfast.kernel;

import java.nio.file.Path;

/** Names in folders: made and moved with one call to the kernel each. */
public final class Names {
    private Names() {}

    /**
     * For nobody but its owner.
     *
     * @throws ErrnoException EEXIST when the name is taken
     */
    public static void folder(Path path) {
        Libc.checked("mkdir", path, Libc.mkdir(path, 0700));
    }

    /** As {@link #folder}. */
    public static void fifo(Path path) {
        Libc.checked("mkfifo", path, Libc.mkfifo(path, 0600));
    }

    /** Takes the place of what {@code to} named, at once. */
    public static void rename(Path from, Path to) {
        Libc.checked("rename", from, Libc.rename(from, to));
    }
}
