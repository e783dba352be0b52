package dev.holdfast.keeper.tty;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.io.IOException;

/**
 * One wait for three things: the terminal's master, the end of its leader (a pidfd), and a wake-up (an eventfd). The
 * answers are those of the last wait. {@link #wake} is for any thread, the rest for one.
 */
public final class TtyEvents implements AutoCloseable {
    private static final int MASTER = 0;
    private static final int WAKE = 8;
    private static final int LEADER = 16;
    private static final int EVENTS = 4;
    private static final int REVENTS = 6;

    private final Memory entries = new Memory(24); // struct pollfd {int fd; short events; short revents;} [3]
    private final Memory counter = new Memory(8);
    private final Memory one = new Memory(8);
    private final int master;
    private final int wake;
    private int leader;
    private boolean leaderEnded;

    /**
     * Takes what descriptors it needs before there is a process, which would have to be ended for want of one.
     *
     * @throws IOException no descriptor is left; nothing is held
     */
    TtyEvents(int master) throws IOException {
        this.master = master;
        this.wake = JnaLibc.eventfd(0, JnaLibc.EFD_CLOEXEC | JnaLibc.EFD_NONBLOCK);
        if (wake < 0) {
            throw new IOException("eventfd: errno " + Native.getLastError());
        }
        this.leader = JnaLibc.fcntl(wake, JnaLibc.F_DUPFD_CLOEXEC, 0);
        if (leader < 0) {
            int errno = Native.getLastError();
            close();
            throw new IOException("dup: errno " + errno);
        }
        one.setLong(0, 1);
        entries.clear();
        entries.setInt(WAKE, wake);
        entries.setShort(WAKE + EVENTS, JnaLibc.POLLIN);
        entries.setShort(LEADER + EVENTS, JnaLibc.POLLIN);
    }

    /** In the place that was kept for it. Called once, before any {@link #await}. */
    void watch(long leaderPid) throws IOException {
        JnaLibc.close(leader);
        leader = JnaLibc.pidfdOpen(leaderPid);
        leaderEnded = leader < 0; // it was reaped already
        if (leaderEnded && Native.getLastError() != JnaLibc.ESRCH) {
            throw new IOException("pidfd_open: errno " + Native.getLastError());
        }
    }

    void await(boolean toRead, boolean toWrite, int timeoutMillis) {
        int wanted = (toRead ? JnaLibc.POLLIN : 0) | (toWrite ? JnaLibc.POLLOUT : 0);
        entries.setInt(MASTER, wanted == 0 ? -1 : master); // a hang-up is reported even when nothing is asked for
        entries.setShort(MASTER + EVENTS, (short) wanted);
        entries.setInt(LEADER, leaderEnded ? -1 : leader);
        if (JnaLibc.poll(entries, 3, timeoutMillis) < 0) {
            clearAnswers();
            return;
        }
        if (answered(WAKE, JnaLibc.POLLIN)) {
            JnaLibc.read(wake, counter, 8);
        }
        leaderEnded |= answered(LEADER, JnaLibc.POLLIN);
    }

    private void clearAnswers() {
        entries.setShort(MASTER + REVENTS, (short) 0);
        entries.setShort(WAKE + REVENTS, (short) 0);
        entries.setShort(LEADER + REVENTS, (short) 0);
    }

    private boolean answered(int entry, int events) {
        return entries.getInt(entry) >= 0 && (entries.getShort(entry + REVENTS) & events) != 0;
    }

    /** Whether there is something to read, or the news that nobody has the terminal open. */
    public boolean readable() {
        return answered(MASTER, JnaLibc.POLLIN | JnaLibc.POLLHUP | JnaLibc.POLLERR);
    }

    public boolean leaderEnded() {
        return leaderEnded;
    }

    void wake() {
        JnaLibc.write(wake, one, 8);
    }

    @Override
    public void close() {
        JnaLibc.close(wake);
        if (leader >= 0) {
            JnaLibc.close(leader);
            leader = -1;
        }
    }
}
