package dev.holdfast.kernel;

import java.nio.file.Path;

/** Who has a file open for writing. */
public final class Writers {
    private static final int F_SETSIG = 10;
    /** Ignored unless asked for, where SIGIO, which tells of a broken lease by default, would end this process. */
    private static final int SIGURG = 23;

    private static final int F_SETLEASE = 1024;
    private static final int F_RDLCK = 0;
    private static final int F_UNLCK = 2;

    private Writers() {}

    /**
     * Whether any process has the file open for writing. The kernel grants a read lease only where nobody has
     * (fcntl(2), F_SETLEASE), so asking for one tells, whoever the writer is. A file that is not there has no writer; a
     * file system without leases says of every file that it has none; so does a FIFO.
     *
     * @throws ErrnoException when there is no descriptor for the question
     */
    public static boolean exist(Path file) {
        long fd = Libc.open(file, Descriptor.READ | Descriptor.NON_BLOCKING, 0);
        if (fd < 0) {
            ErrnoException failure = new ErrnoException("open " + file, (int) -fd);
            if (failure.isExhaustion()) {
                throw failure;
            }
            return false;
        }
        try {
            Libc.fcntl((int) fd, F_SETSIG, SIGURG);
            long granted = Libc.fcntl((int) fd, F_SETLEASE, F_RDLCK);
            if (granted >= 0) {
                Libc.fcntl((int) fd, F_SETLEASE, F_UNLCK);
            }
            return granted == -ErrnoException.EAGAIN;
        } finally {
            Libc.close((int) fd);
        }
    }
}
