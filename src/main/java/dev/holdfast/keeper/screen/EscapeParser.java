package dev.holdfast.keeper.screen;

/**
 * Cuts what a program prints (UTF-8 and the escapes of ECMA-48) into what a terminal does about it. Holds at most
 * {@link #LONGEST} characters of an escape that is not finished yet; a longer one is left out. Strings but a title
 * (pictures, the clipboard, links) are left out, so nothing here makes a terminal answer. Not thread-safe.
 */
final class EscapeParser {
    private enum State {
        TEXT,
        ESCAPE,
        SEQUENCE,
        COMMAND,
        OTHER_STRING
    }

    static final int LONGEST = 1024;
    private static final int REPLACEMENT = 0xFFFD;
    private static final int ESC = 0x1B;
    private static final int BELL = 0x07;

    private final Interpreter actions;
    private final StringBuilder text = new StringBuilder();
    private State state = State.TEXT;
    private char intermediate;
    private boolean stringMayEnd;
    private int character;
    private int missing;
    private int least;

    EscapeParser(Interpreter actions) {
        this.actions = actions;
    }

    /** What is unfinished in the end goes on with the next bytes. */
    void take(byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            int plain = state == State.TEXT && missing == 0 ? plain(bytes, at) : at;
            if (plain > at) {
                actions.print(bytes, at, plain);
                at = plain;
                continue;
            }
            int next = bytes[at++] & 0xFF;
            if (missing == 0 && next < 0x80) {
                take(next);
            } else {
                decode(next);
            }
        }
    }

    /** Where the bytes end that are characters of their own. */
    private static int plain(byte[] bytes, int from) {
        int at = from;
        while (at < bytes.length && bytes[at] >= ' ' && bytes[at] != 0x7F) {
            at++;
        }
        return at;
    }

    private void decode(int next) {
        if (missing > 0 && next >= 0x80 && next < 0xC0) {
            character = (character << 6) | (next & 0x3F);
            if (--missing == 0) {
                boolean wrong = character < least || character > Character.MAX_CODE_POINT || character >> 11 == 0x1B;
                take(wrong ? REPLACEMENT : character);
            }
            return;
        }
        if (missing > 0) {
            missing = 0;
            take(REPLACEMENT);
        }
        if (next < 0x80) {
            take(next);
        } else if (next < 0xC2 || next > 0xF4) {
            take(REPLACEMENT);
        } else {
            missing = next < 0xE0 ? 1 : next < 0xF0 ? 2 : 3;
            least = next < 0xE0 ? 0x80 : next < 0xF0 ? 0x800 : 0x10000;
            character = next & 0x3F >> missing;
        }
    }

    private void take(int next) {
        if (state == State.TEXT && isDrawn(next)) {
            actions.print(next);
        } else if (state == State.COMMAND || state == State.OTHER_STRING) {
            string(next);
        } else if (next == ESC) {
            begin(State.ESCAPE);
        } else if (next < ' ') {
            state = next == 0x18 || next == 0x1A ? State.TEXT : state;
            actions.control(next);
        } else if (next >= 0x7F) {
            state = next == 0x7F ? state : State.TEXT;
        } else if (state == State.ESCAPE) {
            escape((char) next);
        } else if (state == State.SEQUENCE) {
            sequence((char) next);
        }
    }

    private void begin(State next) {
        state = next;
        text.setLength(0);
        intermediate = 0;
        stringMayEnd = false;
    }

    private void escape(char next) {
        if (next < '0') {
            intermediate = next;
            return;
        }
        State following = switch (next) {
            case '[' -> State.SEQUENCE;
            case ']' -> State.COMMAND;
            case 'P', 'X', '^', '_', 'k' -> State.OTHER_STRING;
            default -> State.TEXT;
        };
        char between = intermediate;
        begin(between == 0 ? following : State.TEXT);
        if (state == State.TEXT) {
            actions.escape(between, next);
        }
    }

    private void sequence(char next) {
        if (next < '@') {
            keep(next);
        } else {
            state = State.TEXT;
            if (text.length() < LONGEST) {
                actions.sequence(text.toString(), next);
            }
        }
    }

    /** Ends with a bell, or with {@code ESC \\}; another escape ends it too, and counts. */
    private void string(int next) {
        if (stringMayEnd) {
            command();
            begin(State.ESCAPE);
            if (next != '\\') {
                take(next);
            } else {
                state = State.TEXT;
            }
        } else if (next == ESC) {
            stringMayEnd = true;
        } else if (next == BELL || next == 0x18 || next == 0x1A) {
            command();
            state = State.TEXT;
        } else if (isDrawn(next)) {
            keep(next);
        }
    }

    /** Not a control: those from 0x80 to 0x9F are known to some terminals, which would be painted them. */
    private static boolean isDrawn(int next) {
        return next >= ' ' && (next < 0x7F || next > 0x9F);
    }

    private void command() {
        boolean title = text.length() < LONGEST && text.length() > 1 && "02".indexOf(text.charAt(0)) >= 0;
        if (state == State.COMMAND && title && text.charAt(1) == ';') {
            actions.title(text.substring(2));
        }
    }

    private void keep(int next) {
        if (text.length() < LONGEST) {
            text.appendCodePoint(next);
        }
    }
}
