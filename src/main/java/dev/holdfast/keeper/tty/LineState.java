package dev.holdfast.keeper.tty;

/**
 * Whether the line being typed is empty, which decides what ends the input: in a line the first end-of-file character
 * only hands over what was typed (termios(3), VEOF), so it takes a second one; at the start of a line a second one
 * would end the next reader's input too. The kernel does not tell, so it is followed here.
 */
final class LineState {
    private boolean empty = true;

    /** @param last the last byte the terminal took */
    void typed(Termios termios, byte last) {
        empty = !termios.canonical() || termios.endsLine(last);
    }

    byte[] ending(Termios termios) {
        byte end = termios.endOfFile();
        return empty ? new byte[] {end} : new byte[] {end, end};
    }

    void ended() {
        empty = true;
    }
}
