package dev.holdfast.shell.grammar;

import dev.holdfast.shell.word.Word;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What may stand before a compound command ({@code time}, {@code coproc}, {@code !}), where the grammar has none. */
public final class Keywords {
    private static final Pattern IN_FRONT =
            Pattern.compile("(?:(?:time(?:[ \t]+-p)?|!|coproc(?:[ \t]+[A-Za-z_]\\w*+)?)[ \t]*){1,20}"
                    + "(?=\\(|(?<=[ \t])(?:\\{|(?:for|while|until|if|case|select)(?=\\s)|\\[\\[ ))");
    private static final Pattern MARK = Pattern.compile("(?:time|coproc|!)[ \t(]");
    private static final Pattern BEFORE =
            Pattern.compile("(?:^|[;&|(){}\n]|(?<![^\\s;&|(){}])(?:then|do|else|elif|if|while|until))[ \t\n]*$");
    /** Of these, words in front of a command. */
    private static final Pattern FIRST =
            Pattern.compile("then|do|else|elif|if|while|until|time|!|coproc|\\{|fi|done|esac|in");
    /** Behind these a command may stand, in a text that goes on what an earlier one began. */
    private static final Pattern GOING_ON = Pattern.compile("then|do|else|elif|if|while|until|\\{");

    private static final Pattern AT_FIRST = Pattern.compile("\\s*+(?:(?:then|do|else)(?=[\\s({!])\\s*+)++");
    /** An assignment, and where what its command complains of is sent to be lost. */
    private static final Pattern QUIET =
            Pattern.compile("((?<![^\\s;&|({])\\w++=\"?[$]\\([^()]*+\\)\"?)([ \t]++2>[ \t]?/dev/null)(?=[\\s;&|)]|$)");
    /** Of a part of a value, where it begins and how long it is; of a default, which begins with a sign, nothing. */
    private static final Pattern SLICE = Pattern.compile(
            "(?<![\\\\$])([$]\\{(?:\\w++(?:\\[[@*\\w]++])?+|[@*]))" + "((?::(?![-+=?])[$\\w+* -]++){1,2}+})");

    private static final Pattern NUMBER = Pattern.compile("[^:}]");
    /** A plain sign, since no name follows. */
    private static final Pattern LAST_SIGN = Pattern.compile("(?<![\\\\$])[$]\\)");
    /** Of the text before it as much is looked at. */
    private static final int NEAR = 40;

    private Keywords() {}

    /** Whether {@link #leaveOut} can do anything. */
    public static boolean mayBeIn(String text) {
        return MARK.matcher(text).find();
    }

    public static boolean isOne(String word) {
        return FIRST.matcher(word).matches();
    }

    /** A text that goes on what an earlier line began, blanks in place of the word that says so. */
    public static String withoutFirst(String text) {
        Matcher first = AT_FIRST.matcher(text);
        return first.lookingAt() ? " ".repeat(first.end()) + text.substring(first.end()) : text;
    }

    /**
     * In as many characters: of {@code [ a \> b ]} the grammar knows {@code ==} alone, and no redirect there; of
     * {@code ${s:$i:1}} it knows numbers.
     */
    static String asKnown(String text) {
        String known = text.replace(" \\> ", " == ").replace(" \\< ", " == ");
        // Most texts have none of these: tried on each, the patterns took a ninth of a decision (2 KB, measured).
        if (known.contains("$)")) {
            known = LAST_SIGN.matcher(known).replaceAll("_)");
        }
        if (known.contains("${")) {
            known = SLICE.matcher(known)
                    .replaceAll(found -> Matcher.quoteReplacement(
                            found.group(1) + NUMBER.matcher(found.group(2)).replaceAll("1")));
        }
        if (known.contains("/dev/null")) {
            known = QUIET.matcher(known)
                    .replaceAll(found -> Matcher.quoteReplacement(found.group(1))
                            + " ".repeat(found.group(2).length()));
        }
        return known;
    }

    /** Quoted it is a program. */
    public static boolean goesOn(Word program) {
        String word = program.text();
        return GOING_ON.matcher(word).matches() && program.end() - program.start() == word.length();
    }

    /** @param bare which of its characters mean something to the shell */
    public static String leaveOut(CharSequence text, BitSet bare) {
        StringBuilder plain = new StringBuilder(text);
        for (int i = bare.nextClearBit(0); i < plain.length(); i = bare.nextClearBit(i + 1)) {
            plain.setCharAt(i, '\1');
        }
        StringBuilder left = new StringBuilder(text);
        Matcher found = IN_FRONT.matcher(plain);
        while (found.find()) {
            String before = plain.substring(Math.max(0, found.start() - NEAR), found.start());
            if (before.isBlank()
                    ? found.start() <= NEAR
                    : BEFORE.matcher(before).find()) {
                for (int i = found.start(); i < found.end(); i++) {
                    left.setCharAt(i, ' ');
                }
            }
        }
        return left.toString();
    }
}
