package dev.holdfast.render;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds programs that are given as an argument, as in {@code python -c '…'}. Linear; looks at words, wherever they stand. */
final class InlineScripts {
    /**
     * How an interpreter takes a script.
     *
     * @param letters short options, also at the end of several in one word ({@code -lc})
     * @param longOptions the same, written out
     * @param withValue options whose next word is their value and no script
     */
    private record Interpreter(String letters, Set<String> longOptions, Set<String> withValue) {}

    private static final Interpreter SHELL = new Interpreter("c", Set.of(), Set.of("-o", "-O", "--rcfile"));
    private static final Interpreter PYTHON = new Interpreter("c", Set.of(), Set.of("-W", "-X"));
    private static final Interpreter NODE =
            new Interpreter("ep", Set.of("--eval", "--print"), Set.of("-r", "--require", "--import"));
    private static final Interpreter PERL = new Interpreter("eE", Set.of(), Set.of("-I"));
    private static final Interpreter RUBY = new Interpreter("e", Set.of(), Set.of("-I", "-r"));
    private static final Interpreter PHP = new Interpreter("r", Set.of("--run"), Set.of("-d", "-c"));
    private static final Interpreter OTHERS = new Interpreter("e", Set.of("--eval"), Set.of("-l"));
    private static final Interpreter POWERSHELL = new Interpreter("c", Set.of("-command", "-Command"), Set.of());

    private static final Map<String, Interpreter> INTERPRETERS = Map.ofEntries(
            Map.entry("sh", SHELL),
            Map.entry("bash", SHELL),
            Map.entry("dash", SHELL),
            Map.entry("zsh", SHELL),
            Map.entry("ksh", SHELL),
            Map.entry("fish", SHELL),
            Map.entry("python", PYTHON),
            Map.entry("pypy", PYTHON),
            Map.entry("node", NODE),
            Map.entry("nodejs", NODE),
            Map.entry("bun", NODE),
            Map.entry("perl", PERL),
            Map.entry("ruby", RUBY),
            Map.entry("php", PHP),
            Map.entry("lua", OTHERS),
            Map.entry("Rscript", OTHERS),
            Map.entry("osascript", OTHERS),
            Map.entry("elixir", OTHERS),
            Map.entry("pwsh", POWERSHELL));

    private InlineScripts() {}

    static boolean in(String text) {
        Interpreter current = null;
        boolean value = false;
        for (String word : words(text)) {
            if (value) {
                value = false;
            } else if (current != null && word.startsWith("-")) {
                if (takesScript(current, word)) {
                    return true;
                }
                value = current.withValue().contains(word);
            } else {
                current = interpreter(word);
            }
        }
        return false;
    }

    private static boolean takesScript(Interpreter interpreter, String option) {
        int equals = option.indexOf('=');
        if (interpreter.longOptions().contains(equals < 0 ? option : option.substring(0, equals))) {
            return true;
        }
        return option.length() > 1
                && option.charAt(1) != '-'
                && interpreter.letters().indexOf(option.charAt(option.length() - 1)) >= 0;
    }

    /** By the file's name, a version at its end left out: {@code /usr/bin/python3.12} is {@code python}. */
    private static @Nullable Interpreter interpreter(String word) {
        String name = word.substring(word.lastIndexOf('/') + 1);
        int end = name.length();
        while (end > 0 && (Character.isDigit(name.charAt(end - 1)) || name.charAt(end - 1) == '.')) {
            end--;
        }
        return INTERPRETERS.get(name.substring(0, end));
    }

    /** Words without their quotes; what separates commands is a word of its own. A quoted word is one word. */
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"') {
                int end = text.indexOf(c, i + 1);
                end = end < 0 ? text.length() : end;
                word.append(text, i + 1, end);
                i = end;
            } else if (" \t\n;|&()`".indexOf(c) >= 0) {
                finish(word, words);
                if (c != ' ' && c != '\t') {
                    words.add(";");
                }
            } else {
                word.append(c);
            }
        }
        finish(word, words);
        return words;
    }

    private static void finish(StringBuilder word, List<String> words) {
        if (!word.isEmpty()) {
            words.add(word.toString());
            word.setLength(0);
        }
    }
}
