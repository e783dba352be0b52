package dev.holdfast.policy.classes;

import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a script of {@code sed} does: its commands w and e, and flags of s, write and run. */
final class SedScript {
    private static final String ADDRESS = "(?:\\d+(?:~\\d+)?|\\$|/(?:\\\\.|[^/\\\\\n])*+/I?)";
    private static final String PART = "(?:\\\\.|(?!\\1)[^\\\\])*+\\1";
    /** Of what only prints, deletes and replaces. */
    private static final Pattern KNOWN =
            Pattern.compile("(?s)[\\s;{}]*+(?:" + ADDRESS + "(?:,\\s*(?:" + ADDRESS + "|[+~]\\d+))?)?[\\s!]*+"
                    + "(?:[pdDPqQ=gGhHxnNlzF]\\d*|[aicrR](?:\\\\.|[^\\\\\n])*+|[btT:]\\s*+\\w*+|[sy]([^\\w\\s\\\\])"
                    + PART + PART + "[gpIiMm0-9]*|(?=[{}]))"
                    + "\\s*+(?=[;{}\n]|$|(?<=\\n))");

    private static final Pattern SCRIPT = Pattern.compile("(?s)(?:-[nErsuz]*e|--e[a-z]*=?)(.*)");

    private SedScript() {}

    /** Whether all that it is told to do is known. */
    static boolean isKnown(List<Word> words) {
        List<Word> scripts = new ArrayList<>();
        List<Word> operands = new ArrayList<>();
        for (int i = 1; i < words.size(); i++) {
            Word word = words.get(i);
            Matcher script = SCRIPT.matcher(word.text());
            if (word.text().matches("(?s)-[a-zA-Z]*f.*|--fi?(?:le?)?(?:=.*)?") && !script.matches()) {
                return false;
            } else if (script.matches()) {
                boolean attached = !script.group(1).isEmpty();
                i += attached ? 0 : 1;
                scripts.add(attached ? word.from(script.start(1)) : words.get(Math.min(i, words.size() - 1)));
            } else if (!word.text().startsWith("-")) {
                operands.add(word);
            }
        }
        List<Word> all = scripts.isEmpty() ? operands.subList(0, Math.min(1, operands.size())) : scripts;
        return all.stream().allMatch(word -> word.known() && isKnown(word.text()));
    }

    private static boolean isKnown(String script) {
        String left = script.strip();
        while (!left.isEmpty() && !left.matches("[\\s;{}]*")) {
            Matcher command = KNOWN.matcher(left);
            if (!command.lookingAt() || command.end() == 0) {
                return false;
            }
            left = left.substring(command.end());
        }
        return true;
    }
}
