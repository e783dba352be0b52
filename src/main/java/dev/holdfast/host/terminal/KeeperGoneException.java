package dev.holdfast.host.terminal;

import java.io.IOException;

/** The keeper cannot be reached, or went away before it answered. */
final class KeeperGoneException extends IOException {
    KeeperGoneException(String problem) {
        super(problem);
    }
}
