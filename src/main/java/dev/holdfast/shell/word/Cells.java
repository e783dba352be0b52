package dev.holdfast.shell.word;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** A word while it is read: characters, each with its place in the text and whether it is quoted. */
public final class Cells {
    /** Parts a word that a variable's value falls into; in no text. */
    public static final char SPLIT = '\0';

    /** Words that braces make of one, at most; what makes more is left as it is. */
    private static final int MAX_WORDS = 64;

    /** Braces in longer words are left as they are: finding their ends takes the square of the length. */
    private static final int MAX_BRACED = 4096;

    private final StringBuilder text = new StringBuilder();
    private int[] places = new int[16];
    private final BitSet quoted = new BitSet();
    private boolean known = true;
    /** Quotes make a word even of nothing. */
    private boolean hasQuotes;

    public void add(char c, int place, boolean isQuoted) {
        if (text.length() == places.length) {
            places = Arrays.copyOf(places, 2 * places.length);
        }
        places[text.length()] = place;
        quoted.set(text.length(), isQuoted);
        text.append(c);
    }

    /** Quoted, so that nothing in it means anything. */
    public void add(Word word, int from, int to) {
        for (int i = from; i < to; i++) {
            add(word.text().charAt(i), word.places()[i], true);
        }
        known &= word.known();
        hasQuotes = true;
    }

    /** One text, blanks between. */
    public static Word joined(List<Word> words) {
        Cells cells = new Cells();
        for (Word word : words) {
            if (!cells.isEmpty()) {
                cells.add(' ', word.start(), true);
            }
            cells.add(word, 0, word.text().length());
        }
        return cells.words(words.getFirst().start(), words.getLast().end(), "").getFirst();
    }

    public int length() {
        return text.length();
    }

    public boolean isEmpty() {
        return text.isEmpty();
    }

    /** It holds something that only running it tells. */
    public void unknown() {
        known = false;
    }

    /** It stands in quotes. */
    public void quoted() {
        hasQuotes = true;
    }

    private void addFrom(Cells other, int from, int to) {
        for (int i = from; i < to; i++) {
            add(other.text.charAt(i), other.places[i], other.quoted.get(i));
        }
    }

    /** The words it is after braces and values of variables are expanded, in this order as in bash(1). */
    public List<Word> words(int start, int end, String home) {
        List<Word> words = new ArrayList<>();
        for (Cells one : text.indexOf("{") < 0 ? List.of(this) : braces()) {
            one.split().forEach(part -> words.add(part.word(start, end, home)));
        }
        return words;
    }

    private Word word(int start, int end, String home) {
        boolean pattern = false;
        for (int i = 0; i < text.length(); i++) {
            pattern |= !quoted.get(i) && "*?[".indexOf(text.charAt(i)) >= 0;
        }
        boolean tilde =
                !text.isEmpty() && isBare(0, '~') && (text.length() == 1 || text.charAt(1) == '/') && !home.isEmpty();
        Cells cells = tilde ? new Cells() : this;
        if (tilde) {
            for (int i = 0; i < home.length(); i++) {
                cells.add(home.charAt(i), places[0], true);
            }
            cells.addFrom(this, 1, text.length());
        }
        int[] where = Arrays.copyOf(cells.places, cells.length());
        return new Word(cells.text.toString(), known, pattern, where, start, end);
    }

    private List<Cells> split() {
        if (text.indexOf(String.valueOf(SPLIT)) < 0) {
            return text.isEmpty() && !hasQuotes ? List.of() : List.of(this);
        }
        List<Cells> parts = new ArrayList<>();
        int from = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || text.charAt(i) == SPLIT) {
                if (i > from) {
                    parts.add(part(from, i));
                }
                from = i + 1;
            }
        }
        return parts;
    }

    private Cells part(int from, int to) {
        Cells part = new Cells();
        part.known = known;
        part.hasQuotes = hasQuotes;
        part.addFrom(this, from, to);
        return part;
    }

    /** {@code a{b,c}d} is {@code abd acd}; the first braces first, then those in what that makes. */
    private List<Cells> braces() {
        if (text.length() > MAX_BRACED) {
            known = false;
            return List.of(this);
        }
        List<Cells> done = new ArrayList<>();
        List<Cells> open = new ArrayList<>(List.of(this));
        while (!open.isEmpty()) {
            Cells one = open.removeFirst();
            List<Cells> expanded = one.firstBraces();
            if (expanded.isEmpty()) {
                done.add(one);
            } else if (open.size() + expanded.size() + done.size() > MAX_WORDS) {
                known = false;
                return List.of(this);
            } else {
                open.addAll(0, expanded);
            }
        }
        return done;
    }

    private List<Cells> firstBraces() {
        for (int open = 0; open < text.length(); open++) {
            if (isBare(open, '{') && !(open > 0 && isBare(open - 1, '$'))) {
                List<Integer> commas = new ArrayList<>(List.of(open));
                int close = closing(open, commas);
                if (close > 0 && commas.size() > 1) {
                    commas.add(close);
                    return alternatives(open, close, commas);
                }
            }
        }
        return List.of();
    }

    private int closing(int open, List<Integer> commas) {
        int depth = 0;
        for (int i = open; i < text.length(); i++) {
            if (isBare(i, '{')) {
                depth++;
            } else if (isBare(i, '}') && --depth == 0) {
                return i;
            } else if (depth == 1 && isBare(i, ',')) {
                commas.add(i);
            }
        }
        return -1;
    }

    private List<Cells> alternatives(int open, int close, List<Integer> commas) {
        List<Cells> all = new ArrayList<>();
        for (int i = 0; i + 1 < commas.size(); i++) {
            Cells one = part(0, open);
            one.addFrom(this, commas.get(i) + 1, commas.get(i + 1));
            one.addFrom(this, close + 1, text.length());
            all.add(one);
        }
        return all;
    }

    private boolean isBare(int at, char c) {
        return text.charAt(at) == c && !quoted.get(at);
    }
}
