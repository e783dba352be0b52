package dev.holdfast.host.terminal;

import java.io.IOException;

/** The keeper cannot be reached, or went away before it answered. */
final class KeeperGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    KeeperGoneException(String problem) {
        super(problem);
    }
}
