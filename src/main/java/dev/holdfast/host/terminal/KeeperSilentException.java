package dev.holdfast.host.terminal;

import java.io.IOException;

/** The keeper is there and does not answer (its process was stopped, or hangs), or nobody can say whether it is. */
final class KeeperSilentException extends IOException {
    KeeperSilentException() {
        this("the keeper does not answer");
    }

    KeeperSilentException(String problem) {
        super(problem);
    }
}
