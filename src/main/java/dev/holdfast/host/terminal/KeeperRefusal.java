package dev.holdfast.host.terminal;

import java.io.IOException;

/** The keeper answered that it does not do what it was asked for; the message is its own. */
final class KeeperRefusal extends IOException {
    KeeperRefusal(String problem) {
        super(problem);
    }
}
