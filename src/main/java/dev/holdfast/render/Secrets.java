package dev.holdfast.render;

/**
 * Masks what looks like a secret in a command: values of options, assignments, fields and headers whose name says so,
 * passwords in URLs and of well-known programs, and tokens of well-known forms. One pass, by hand, so that time is linear
 * in the text whatever it holds. It guesses: a secret that looks like nothing is not found.
 */
final class Secrets {
    static final String MASK = "***";

    private final String in;
    private final StringBuilder out;
    private final SecretOptions options = new SecretOptions();
    private int at;

    /** The quote that encloses the current character, or 0. */
    private char quote;

    private Secrets(String in) {
        this.in = in;
        this.out = new StringBuilder(in.length());
    }

    static String mask(String text) {
        Secrets secrets = new Secrets(text);
        while (secrets.at < text.length()) {
            secrets.step();
        }
        return secrets.out.toString();
    }

    private void step() {
        char c = in.charAt(at);
        if (inRun(c)) {
            run();
        } else if (c == ':' && in.startsWith("://", at)) {
            url();
        } else {
            other(c);
        }
    }

    private void other(char c) {
        if (c == '\\' && quote != '\'') {
            copyTo(at + 2);
            return;
        }
        if (c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (quote == 0 && "\n;|&()".indexOf(c) >= 0) {
            options.commandEnds();
        }
        copyTo(at + 1);
    }

    /** Letters, digits and what joins them: a name, an option, a token. */
    private void run() {
        if (in.startsWith("-----BEGIN", at)) {
            pem();
            return;
        }
        int end = endOfRun(at);
        String run = in.substring(at, end);
        if (options.hasAttached(run, end < in.length() ? in.charAt(end) : ' ')) {
            copyTo(at + 2);
            maskWord();
        } else if (SecretShapes.matches(run)) {
            out.append(MASK);
            at = end;
        } else {
            copyTo(end);
            valueOf(run);
            options.saw(run);
        }
    }

    /** What follows a name: its value, when the name says that it is secret. */
    private void valueOf(String name) {
        if (at >= in.length()) {
            return;
        }
        boolean secret = SecretNames.isSecret(name);
        char c = in.charAt(at);
        if (options.wantsNextWord(name) || (secret && name.startsWith("-") && Character.isWhitespace(c))) {
            copyBlanks();
            if (at < in.length() && in.charAt(at) != '-') {
                maskWord();
            }
        } else if (secret && c == '=') {
            copyTo(at + 1);
            maskWord();
        } else if (name.equalsIgnoreCase("bearer") && c == ' ') {
            copyBlanks();
            maskCredential();
        } else if (secret) {
            field();
        }
    }

    /** {@code name: value} and {@code "name": "value"}. */
    private void field() {
        int colon = at;
        while (colon < in.length() && colon < at + 2 && "\"'\\".indexOf(in.charAt(colon)) >= 0) {
            colon++;
        }
        if (!in.startsWith(":", colon) || in.startsWith("://", colon)) {
            return;
        }
        while (at < colon) {
            other(in.charAt(at));
        }
        copyTo(colon + 1);
        copyBlanks();
        int end = endOfRun(at);
        if (SecretNames.isScheme(in.substring(at, end)) && in.startsWith(" ", end)) {
            copyTo(end);
            copyBlanks();
            maskCredential();
        } else {
            maskWord();
        }
    }

    /** The word at the current place, as a shell reads it; what it begins with {@code $} is no secret but a name for one. */
    private void maskWord() {
        if (at >= in.length() || in.charAt(at) == '$' || in.startsWith("\"$", at)) {
            return;
        }
        if (in.startsWith("-----BEGIN", at)) {
            pem();
            return;
        }
        int end = quote == 0 ? endOfWord(at) : endOfQuotedValue(at);
        if (end == at) {
            return;
        }
        char first = in.charAt(at);
        char last = in.charAt(end - 1);
        boolean keepsQuotes = (first == '\'' || first == '"') && first == last && end - at > 1;
        out.append(keepsQuotes ? first + MASK + first : MASK);
        at = end;
    }

    private int endOfWord(int from) {
        int i = from;
        while (i < in.length() && !endsWord(in.charAt(i))) {
            char c = in.charAt(i);
            if (c == '\\') {
                i += 2;
            } else if (c == '\'' || c == '"') {
                i = endOfQuotes(i);
            } else {
                i++;
            }
        }
        return Math.min(i, in.length());
    }

    private int endOfQuotes(int from) {
        char opening = in.charAt(from);
        int i = from + 1;
        while (i < in.length() && in.charAt(i) != opening) {
            i += opening == '"' && in.charAt(i) == '\\' ? 2 : 1;
        }
        return Math.min(i + 1, in.length());
    }

    /** Inside quotes: to their end, or to the end of other quotes within them, or of an unquoted word. */
    private int endOfQuotedValue(int from) {
        boolean escaped = in.startsWith("\\\"", from);
        char inner = escaped ? '"' : in.charAt(from);
        boolean quoted = escaped || (inner != quote && (inner == '\'' || inner == '"'));
        int i = from + (escaped ? 2 : quoted ? 1 : 0);
        while (i < in.length()) {
            char c = in.charAt(i);
            if (quoted && escaped && in.startsWith("\\\"", i)) {
                return i + 2;
            }
            if (quoted && !escaped && c == inner) {
                return i + 1;
            }
            if (c == quote || (!quoted && (endsWord(c) || c == '"' || c == '\'' || c == '\\'))) {
                return i;
            }
            i += c == '\\' ? 2 : 1;
        }
        return in.length();
    }

    /** After {@code Bearer} and the like: one token (RFC 6750, section 2.1). */
    private void maskCredential() {
        int end = at;
        while (end < in.length() && (inRun(in.charAt(end)) || "~+/=".indexOf(in.charAt(end)) >= 0)) {
            end++;
        }
        if (end > at) {
            out.append(MASK);
            at = end;
        }
    }

    /** {@code ://user:password@host}: the password; {@code ://token@host}: a token that is long enough to be one. */
    private void url() {
        copyTo(at + 3);
        int colon = -1;
        int end = -1;
        int i = at;
        while (i < in.length() && !endsWord(in.charAt(i)) && "/?#\"'".indexOf(in.charAt(i)) < 0) {
            if (in.charAt(i) == ':' && colon < 0) {
                colon = i;
            } else if (in.charAt(i) == '@') {
                end = i;
            }
            i++;
        }
        boolean password = colon >= 0 && colon < end;
        if (password || end - at >= 20) {
            copyTo(password ? colon + 1 : at);
            out.append(MASK);
            at = end;
        }
        copyTo(i);
    }

    /** From here to the line that ends the block, or to the end of the text. */
    private void pem() {
        int footer = in.indexOf("-----END", at);
        int close = footer < 0 ? -1 : in.indexOf("-----", footer + 8);
        out.append(MASK);
        at = close < 0 ? in.length() : close + 5;
    }

    /** Blanks and continued lines. */
    private void copyBlanks() {
        int i = at;
        while (in.startsWith(" ", i) || in.startsWith("\t", i) || in.startsWith("\\\n", i)) {
            i += in.charAt(i) == '\\' ? 2 : 1;
        }
        copyTo(i);
    }

    private int endOfRun(int from) {
        int end = from;
        while (end < in.length() && inRun(in.charAt(end))) {
            end++;
        }
        return end;
    }

    private void copyTo(int end) {
        int to = Math.min(end, in.length());
        out.append(in, at, to);
        at = to;
    }

    private static boolean endsWord(char c) {
        return Character.isWhitespace(c) || ";|&<>(){},`".indexOf(c) >= 0;
    }

    private static boolean inRun(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '_'
                || c == '-'
                || c == '.';
    }
}
