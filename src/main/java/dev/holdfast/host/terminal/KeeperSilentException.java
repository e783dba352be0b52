package dev.holdfast.host.terminal;

import java.io.IOException;

/** The keeper is there and does not answer: its process was stopped, or hangs. */
final class KeeperSilentException extends IOException {
    KeeperSilentException() {
        super("the keeper does not answer");
    }
}
