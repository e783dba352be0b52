package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;

import java.lang.foreign.Arena;
import java.nio.file.Path;

/** Names in folders: made and moved with one call to the kernel each. */
public final class Names {
    private static final LibcFunction MKDIR = LibcFunction.ofInt("mkdir");
    private static final LibcFunction MKFIFO = LibcFunction.ofInt("mkfifo");
    private static final LibcFunction RENAME = LibcFunction.ofInt("rename");

    private Names() {}

    /**
     * For nobody but its owner.
     *
     * @throws ErrnoException EEXIST when the name is taken
     */
    public static void folder(Path path) {
        make("mkdir", MKDIR, path, 0700);
    }

    /** As {@link #folder}. */
    public static void fifo(Path path) {
        make("mkfifo", MKFIFO, path, 0600);
    }

    private static void make(String name, LibcFunction function, Path path, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            Libc.checked(name, path, function.call(address(arena, path), mode));
        }
    }

    /** Takes the place of what {@code to} named, at once. */
    public static void rename(Path from, Path to) {
        try (Arena arena = Arena.ofConfined()) {
            Libc.checked("rename", from, RENAME.call(address(arena, from), address(arena, to)));
        }
    }
}
