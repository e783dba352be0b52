package dev.holdfast.shell.grammar;

/** What a {@link Scan} is within. */
final class Frame {
    /** {@code c} for code, {@code h} for a here-document, or the character that opened it. */
    final char kind;
    /** Quotes around it make single ones plain. */
    final boolean quoted;

    final boolean arithmetic;
    /** Where it begins, if what is in it is run and its output substituted; else -1. */
    final int substitution;
    /** How many {@code case} are open in it. */
    int cases;

    Frame(char kind, boolean quoted, boolean arithmetic, int substitution) {
        this.kind = kind;
        this.quoted = quoted;
        this.arithmetic = arithmetic;
        this.substitution = substitution;
    }

    boolean isCode() {
        return kind == 'c' || kind == '(';
    }
}
