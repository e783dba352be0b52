package dev.holdfast.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.terminal.Page;
import java.util.Locale;

/**
 * What {@code holdfast doctor} found of one thing.
 *
 * @param remedy what to do now; empty when there is nothing to do
 */
record Finding(String name, State state, String text, String remedy) {
    enum State {
        OK,
        /** Something is missing that one can do without. */
        REMARK,
        BROKEN
    }

    static Finding ok(String name, String text) {
        return new Finding(name, State.OK, text, "");
    }

    static Finding remark(String name, String text, String remedy) {
        return new Finding(name, State.REMARK, text, remedy);
    }

    static Finding broken(String name, String text, String remedy) {
        return new Finding(name, State.BROKEN, text, remedy);
    }

    private String mark() {
        return state.name().toLowerCase(Locale.ROOT);
    }

    ObjectNode json() {
        return Api.JSON
                .createObjectNode()
                .put("name", name)
                .put("state", mark())
                .put("text", text)
                .put("remedy", remedy);
    }

    void print() {
        Page.line("%-7s %-12s %s".formatted(mark(), name, text));
        if (!remedy.isEmpty()) {
            Page.line(" ".repeat(21) + "-> " + remedy);
        }
    }
}
