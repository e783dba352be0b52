package dev.holdfast.keeper;

/** A connection that follows one terminal. Its state is guarded by the terminal's lock. */
final class Watcher {
    private final Connection connection;
    private boolean behind;

    Watcher(Connection connection) {
        this.connection = connection;
    }

    Connection connection() {
        return connection;
    }

    /** Passes a line of output on, or, to one that reads too slowly, not: it finds the bytes in the file later. */
    void output(byte[] line) {
        if (!behind) {
            behind = !connection.offer(line);
        }
    }

    /** Tells one that fell behind where the output is now; {@code line} carries no bytes. */
    void catchUp(byte[] line) {
        if (behind) {
            behind = !connection.offer(line);
        }
    }
}
