package dev.holdfast.shell.grammar;

import dev.holdfast.shell.grammar.HereDocumentOperator.Body;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One pass over a text for what the grammar does not see, or not as bash does: lines that a backslash joins, where
 * here-documents are, and what is substituted within a word. It knows quotes, comments, and what is nested in what.
 */
public final class Scan {
    /** An operator whose body has not begun, where it is, and in how many frames. */
    private record Pending(int place, HereDocumentOperator operator, int depth) {}

    private final Source given;
    private final String in;
    private final boolean takesBodies;
    private final Scanned out;
    private final BitSet syntax = new BitSet();
    private final BitSet hereStrings = new BitSet();
    private final NavigableMap<Integer, Body> bodies = new TreeMap<>();
    private final List<Node> substitutions = new ArrayList<>();
    private final Deque<Frame> frames = new ArrayDeque<>();
    private final List<Pending> pending = new ArrayList<>();
    private boolean doubtful;
    private boolean ran;
    private int at;

    private Scan(Source given, boolean takesBodies, Frame outermost) {
        this.given = given;
        this.in = given.text();
        this.takesBodies = takesBodies;
        out = new Scanned(in.length());
        frames.push(outermost);
    }

    /** @param takesBodies whether here-documents are left out */
    public static Scan of(Source given, boolean takesBodies) {
        String text = given.text();
        Scan scan = new Scan(given, takesBodies, new Frame('c', false, false, -1));
        if (Stream.of("`", "<<", "\\\n", "$\"", "0<").anyMatch(text::contains) || Keywords.mayBeIn(text)) {
            scan.run();
        }
        return scan;
    }

    /** The outermost substitutions of commands in a part of a word, as nodes that nobody has parsed. */
    public static List<Node> substitutions(String part, boolean quoted) {
        Scan scan = new Scan(Source.outermost(part), false, new Frame(quoted ? 'h' : 'c', quoted, false, -1));
        scan.run();
        return scan.substitutions.stream().map(scan.out::asGiven).toList();
    }

    /** Its lines joined, its here-documents left out, and the sign of each {@code $"…"}. */
    public Source source() {
        return ran ? out.source(given.place(in.length())) : given;
    }

    /** The same for the grammar, with words in place of what it would misread. */
    public String masked() {
        return Keywords.asKnown(ran ? Keywords.leaveOut(out.masked(), out.bare()) : in);
    }

    /** By the place of their operators in {@link #source}. */
    public NavigableMap<Integer, Body> bodies() {
        return bodies;
    }

    /** Where here-strings are in {@link #source}; in {@link #masked} they are files, which may stand anywhere. */
    public BitSet hereStrings() {
        return hereStrings;
    }

    /** Whether shells differ in where a here-document of it ends. */
    public boolean isDoubtful() {
        return doubtful;
    }

    /** Whether a character means something to the shell. */
    public BitSet bare() {
        if (!ran) {
            run();
        }
        return out.bare();
    }

    /** The quotes, backslashes and comments that no word has. */
    public BitSet syntax() {
        return syntax;
    }

    private void run() {
        ran = true;
        while (at < in.length()) {
            step(frames.element());
        }
        bodies(0);
    }

    private void step(Frame frame) {
        char c = in.charAt(at);
        if (c == '\\') {
            escape();
        } else if (c == '`') {
            backticks();
        } else if (c == '$' && dollar(frame)) {
            return;
        } else if (c == '\'' && !frame.quoted && frame.kind != '"') {
            literal(1, HereDocumentOperator.closing(in, '\'', at + 1, false));
        } else if (c == '"' && frame.kind != 'h') {
            quote(frame);
        } else if ((c == '<' || c == '>') && next('(') && !frame.quoted && frame.kind != '"' && !frame.arithmetic) {
            open(2, new Frame('(', false, false, out.length()));
        } else if (frame.isCode()) {
            code(c, frame);
        } else if (c == '}' && frame.kind == '{') {
            emit(true);
            frames.pop();
        } else {
            emit(false);
        }
    }

    private void code(char c, Frame frame) {
        boolean first = out.isAtWord(out.length());
        if (c == '#' && first && !frame.arithmetic) {
            comment();
        } else if (c == '(') {
            open(1, new Frame('(', false, frame.arithmetic || next('('), -1));
        } else if (c == ')') {
            emit(true);
            close(frame);
        } else if (c == '<' && !frame.arithmetic) {
            input();
        } else {
            frame.cases += first && in.startsWith("case ", at) ? 1 : first && in.startsWith("esac", at) ? -1 : 0;
            emit(true);
            if (c == '\n') {
                bodies(0);
            }
        }
    }

    private void close(Frame frame) {
        // Within a case it ends a pattern.
        if (frame.kind == '(' && frame.cases <= 0) {
            frames.pop();
            substituted(frame);
            bodies(frame.substitution < 0 ? Integer.MAX_VALUE : frames.size() + 1);
        }
    }

    private void substituted(Frame frame) {
        if (frame.substitution >= 0 && frames.stream().noneMatch(outer -> outer.substitution >= 0)) {
            substitutions.add(new Node("command_substitution", frame.substitution, out.length(), List.of()));
        }
    }

    private boolean dollar(Frame frame) {
        boolean quoted = frame.quoted || frame.kind == '"';
        if (next('(')) {
            boolean arithmetic = in.startsWith("((", at + 1);
            open(2, new Frame('(', false, arithmetic, arithmetic ? -1 : out.length()));
        } else if (next('{')) {
            open(2, new Frame('{', quoted, false, -1));
        } else if (next('\'') && !quoted) {
            literal(2, HereDocumentOperator.closing(in, '\'', at + 2, true));
        } else if (next('"') && !quoted && frame.kind != 'h') {
            at++;
        } else if (next('$')) {
            emit(2, '$', true);
        } else {
            return false;
        }
        return true;
    }

    private void quote(Frame frame) {
        syntax.set(out.length());
        emit(false);
        if (frame.kind == '"') {
            frames.pop();
        } else {
            frames.push(new Frame('"', false, false, -1));
        }
    }

    /** What is within is read as a text of its own. */
    private void backticks() {
        int start = out.length();
        int end = HereDocumentOperator.closing(in, '`', at + 1, true);
        emit(false);
        while (at < end - 1) {
            emit(1, '_', false);
        }
        if (at < end) {
            emit(false);
        }
        substituted(new Frame('`', false, false, start));
    }

    private void escape() {
        if (next('\n')) {
            at += 2;
        } else {
            syntax.set(out.length());
            emit(false);
            if (at < in.length()) {
                emit(false);
            }
        }
    }

    private void input() {
        out.leaveOutZero();
        if (in.startsWith("<<<", at)) {
            hereStrings.set(out.length());
            emit(false);
            emit(2, ' ', false);
        } else if (in.startsWith("<<", at) && takesBodies) {
            operator();
        } else {
            emit(true);
        }
    }

    private void operator() {
        HereDocumentOperator operator = HereDocumentOperator.at(in, at);
        if (operator == null) {
            literal(0, at + 2);
            return;
        }
        out.leaveOutDigits();
        pending.add(new Pending(out.length(), operator, frames.size()));
        emit(true);
        emit(operator.end() - at, '_', true);
    }

    /** Takes the bodies of the operators before; those of a substitution that ends before they begin are empty. */
    private void bodies(int ofDepth) {
        for (Pending one : List.copyOf(pending)) {
            if (one.depth() >= ofDepth) {
                boolean begins = ofDepth == 0;
                doubtful |= !begins;
                bodies.put(one.place(), begins ? body(one.operator()) : new Body(one.operator(), given, at, at, at));
                pending.remove(one);
            }
        }
    }

    private Body body(HereDocumentOperator operator) {
        int start = at;
        int last = operator.lastLine(in, start);
        at = HereDocumentOperator.closing(in, '\n', last, false);
        return new Body(operator, given, start, last, at);
    }

    private boolean next(char c) {
        return at + 1 < in.length() && in.charAt(at + 1) == c;
    }

    private void literal(int quotes, int end) {
        syntax.set(out.length(), out.length() + quotes);
        syntax.set(out.length() + end - at - 1, quotes > 0);
        while (at < end) {
            emit(false);
        }
    }

    private void comment() {
        while (at < in.length() && in.charAt(at) != '\n') {
            syntax.set(out.length());
            emit(false);
        }
    }

    private void open(int length, Frame frame) {
        for (int i = 0; i < length; i++) {
            emit(true);
        }
        frames.push(frame);
    }

    private void emit(boolean isBare) {
        emit(1, in.charAt(at), isBare);
    }

    private void emit(int count, char mask, boolean isBare) {
        for (int i = 0; i < count; i++) {
            out.add(in.charAt(at), mask, given.place(at), isBare);
            at++;
        }
    }
}
