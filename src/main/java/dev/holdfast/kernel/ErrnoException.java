package dev.holdfast.kernel;

import java.util.Map;

/** A call to the kernel that failed; {@link #errno()} is its number on Linux, the same on x86-64 and arm64. */
public final class ErrnoException extends RuntimeException {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EINTR = 4;
    public static final int ENXIO = 6;
    public static final int E2BIG = 7;
    public static final int EIO = 5;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EEXIST = 17;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int EPIPE = 32;
    public static final int ENOSYS = 38;
    public static final int EOPNOTSUPP = 95;
    public static final int ENOBUFS = 105;
    public static final int EDQUOT = 122;

    private static final Map<Integer, String> TEXTS = Map.ofEntries(
            Map.entry(EPERM, "not permitted"),
            Map.entry(ENOENT, "no such file or directory"),
            Map.entry(ESRCH, "no such process"),
            Map.entry(EIO, "the disk fails"),
            Map.entry(ENXIO, "nobody has the other end open"),
            Map.entry(E2BIG, "arguments and environment are too long"),
            Map.entry(EAGAIN, "a limit of processes or resources is reached"),
            Map.entry(ENOMEM, "out of memory"),
            Map.entry(EACCES, "permission denied"),
            Map.entry(EEXIST, "exists already"),
            Map.entry(EINVAL, "invalid argument"),
            Map.entry(ENFILE, "the machine has too many open files"),
            Map.entry(EMFILE, "too many open files"),
            Map.entry(EFBIG, "larger than a file may be (ulimit -f)"),
            Map.entry(ENOSPC, "no space left"),
            Map.entry(EROFS, "the file system is read-only"),
            Map.entry(EPIPE, "nobody reads the other end"),
            Map.entry(ENOSYS, "this kernel does not have the call"),
            Map.entry(EOPNOTSUPP, "not supported here"),
            Map.entry(EDQUOT, "disk quota exceeded"));

    private final int errno;

    ErrnoException(String call, int errno) {
        super(call + ": " + text(errno));
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }

    /** Whether there was no descriptor or no memory for the call, which says nothing of what it was made on. */
    public boolean isExhaustion() {
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    }

    /** What the number means, for a person. */
    public static String text(int errno) {
        return TEXTS.getOrDefault(errno, "errno " + errno);
    }
}
