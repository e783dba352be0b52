package dev.holdfast.render;

import dev.holdfast.shell.Script;
import dev.holdfast.shell.word.Word;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds programs that are given as an argument, as in {@code python -c '…'}, wherever in a command the interpreter
 * stands.
 */
final class InlineScripts {
    /**
     * How an interpreter takes a script.
     *
     * @param letters short options, also at the end of several in one word ({@code -lc})
     * @param longOptions the same, written out
     * @param withValue options whose next word is their value and no script
     */
    private record Interpreter(String letters, Set<String> longOptions, Set<String> withValue) {}

    private static final Map<String, Interpreter> INTERPRETERS = new HashMap<>();

    static {
        interpreter("sh bash dash zsh ksh fish", "c", "", "-o -O --rcfile");
        interpreter("python pypy", "c", "", "-W -X");
        interpreter("node nodejs bun", "ep", "--eval --print", "-r --require --import");
        interpreter("perl", "eE", "", "-I");
        interpreter("ruby", "e", "", "-I -r");
        interpreter("php", "r", "--run", "-d -c");
        interpreter("lua Rscript osascript elixir", "e", "--eval", "-l");
        interpreter("pwsh", "c", "-command -Command", "");
    }

    private static void interpreter(String names, String letters, String longOptions, String withValue) {
        Interpreter interpreter =
                new Interpreter(letters, Set.of(longOptions.split(" ", -1)), Set.of(withValue.split(" ", -1)));
        Stream.of(names.split(" ", -1)).forEach(name -> INTERPRETERS.put(name, interpreter));
    }

    private static final Pattern NAMED =
            Pattern.compile("(?:" + String.join("|", INTERPRETERS.keySet()) + ")[0-9.]{0,9}+[\"']?\\s++[\"']?-");

    private InlineScripts() {}

    /** Cheaper, and wrong only where there is none. */
    static boolean mayBeIn(String text) {
        return text.contains("-") && NAMED.matcher(text).find();
    }

    static boolean in(Script script) {
        return script.commands().stream().anyMatch(command -> in(command.words()));
    }

    private static boolean in(List<Word> words) {
        Interpreter current = null;
        boolean value = false;
        for (Word next : words) {
            String word = next.text();
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
}
