package dev.holdfast.render;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A shell text without its here-documents.
 *
 * @param text {@link #MARKER} stands for each body with its last line
 * @param found whether there was one
 */
record HereDocuments(String text, boolean found) {
    static final String MARKER = "(here-document left out)";

    static HereDocuments leaveOut(String shellText) {
        return shellText.contains("<<") ? new Scan(shellText).run() : new HereDocuments(shellText, false);
    }

    /** For an argument of a program, which may itself be text for a shell. */
    static HereDocuments leaveOutOfArgument(String argument) {
        return argument.indexOf('\n') < 0 ? new HereDocuments(argument, false) : leaveOut(argument);
    }

    /** A here-document whose body has not begun. {@code tabs}: leading tabs do not count ({@code <<-}). */
    private record Pending(String delimiter, boolean tabs) {}

    /** One pass over the text with a stack of what encloses the current character, as bash(1) nests them. */
    private static final class Scan {
        private enum Context {
            DOUBLE_QUOTES,
            PARENTHESES,
            ARITHMETIC
        }

        private final String in;
        private final StringBuilder out = new StringBuilder();
        private final Deque<Context> contexts = new ArrayDeque<>();
        private final List<Pending> pending = new ArrayList<>();
        private boolean found;
        private int arithmetic;
        private int at;

        Scan(String in) {
            this.in = in;
        }

        HereDocuments run() {
            while (at < in.length()) {
                step(in.charAt(at));
            }
            return new HereDocuments(out.toString(), found);
        }

        private void step(char c) {
            boolean quoted = contexts.peek() == Context.DOUBLE_QUOTES;
            switch (c) {
                case '\\' -> copy(2);
                case '"' -> doubleQuote(quoted);
                case '\'' -> copy(quoted ? 1 : lengthTo('\''));
                case '$' -> dollar();
                case '(' -> open(quoted);
                case ')' -> close(quoted);
                case '#' -> copy(!quoted && startsWord() ? lengthOfComment() : 1);
                case '<' -> less(quoted);
                case '\n' -> newline(quoted);
                default -> copy(1);
            }
        }

        private void doubleQuote(boolean quoted) {
            if (quoted) {
                contexts.pop();
            } else {
                contexts.push(Context.DOUBLE_QUOTES);
            }
            copy(1);
        }

        private void dollar() {
            if (in.startsWith("$((", at)) {
                openArithmetic(3);
            } else if (in.startsWith("$(", at)) {
                contexts.push(Context.PARENTHESES);
                copy(2);
            } else {
                copy(1);
            }
        }

        private void open(boolean quoted) {
            if (quoted) {
                copy(1);
            } else if (in.startsWith("((", at) && contexts.peek() != Context.ARITHMETIC && startsWord()) {
                openArithmetic(2);
            } else {
                contexts.push(Context.PARENTHESES);
                copy(1);
            }
        }

        private void openArithmetic(int length) {
            contexts.push(Context.ARITHMETIC);
            arithmetic++;
            copy(length);
        }

        private void close(boolean quoted) {
            if (quoted || contexts.isEmpty()) {
                copy(1);
            } else if (contexts.pop() == Context.ARITHMETIC) {
                arithmetic--;
                copy(in.startsWith("))", at) ? 2 : 1);
            } else {
                copy(1);
            }
        }

        private void less(boolean quoted) {
            if (quoted || arithmetic > 0 || !in.startsWith("<<", at)) {
                copy(1);
            } else if (in.startsWith("<<<", at)) {
                copy(3);
            } else {
                operator();
            }
        }

        /** {@code <<} or {@code <<-}, blanks, and the delimiter, any part of which may be quoted. */
        private void operator() {
            boolean tabs = in.startsWith("<<-", at);
            int i = at + (tabs ? 3 : 2);
            while (i < in.length() && (in.charAt(i) == ' ' || in.charAt(i) == '\t')) {
                i++;
            }
            StringBuilder delimiter = new StringBuilder();
            int from = i;
            while (i < in.length() && " \t\n;|&<>()`".indexOf(in.charAt(i)) < 0) {
                i = delimiterPart(i, delimiter);
            }
            if (i > from) {
                pending.add(new Pending(delimiter.toString(), tabs));
                found = true;
            }
            copy(i - at);
        }

        private int delimiterPart(int i, StringBuilder delimiter) {
            char c = in.charAt(i);
            if (c == '\\') {
                delimiter.append(in, Math.min(i + 1, in.length()), Math.min(i + 2, in.length()));
                return Math.min(i + 2, in.length());
            }
            if (c != '\'' && c != '"') {
                delimiter.append(c);
                return i + 1;
            }
            int end = in.indexOf(c, i + 1);
            end = end < 0 ? in.length() : end;
            delimiter.append(in, i + 1, end);
            return Math.min(end + 1, in.length());
        }

        private void newline(boolean quoted) {
            copy(1);
            if (quoted || pending.isEmpty()) {
                return;
            }
            for (Pending document : List.copyOf(pending)) {
                skipBody(document);
                out.append(MARKER).append('\n');
            }
            pending.clear();
            if (at >= in.length()) {
                out.setLength(out.length() - 1);
            }
        }

        private void skipBody(Pending document) {
            while (at < in.length()) {
                int end = in.indexOf('\n', at);
                end = end < 0 ? in.length() : end;
                int from = at;
                while (document.tabs() && from < end && in.charAt(from) == '\t') {
                    from++;
                }
                at = Math.min(end + 1, in.length());
                if (end - from == document.delimiter().length() && in.startsWith(document.delimiter(), from)) {
                    return;
                }
            }
        }

        private boolean startsWord() {
            return at == 0 || " \t\n;|&(".indexOf(in.charAt(at - 1)) >= 0;
        }

        private int lengthOfComment() {
            int end = in.indexOf('\n', at);
            return (end < 0 ? in.length() : end) - at;
        }

        private int lengthTo(char closing) {
            int end = in.indexOf(closing, at + 1);
            return (end < 0 ? in.length() : end + 1) - at;
        }

        private void copy(int length) {
            int end = Math.min(at + length, in.length());
            out.append(in, at, end);
            at = end;
        }
    }
}
