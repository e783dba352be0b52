package dev.holdfast.render;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.word.Word;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a command is given as a password, where it is a word of another one: {@code echo x | sudo -S ls}. */
final class SecretInput {
    private static final Set<String> FROM_INPUT =
            Set.of("--password-stdin", "--with-token", "--passphrase-fd", "chpasswd", "--stdin-password");
    private static final Pattern READING = Pattern.compile(
            "(?s)(?:gh secret set|wrangler (?:pages )?secret put|vercel env add|glab variable set|glab auth login|ansible-vault encrypt_string|cargo login"
                    + "|vault login|(?:sudo )?(?:/\\S*/)?(?:k|ht|smb|vnc)?passwd)(?: .*)?");
    private static final Pattern STDIN_OF_SUDO = Pattern.compile("-[ABEHKNPVbeiklnsv]*S[A-Za-z]*|--stdin");

    /** Enough to tell what it reads. */
    private static final int FIRST_WORDS = 6;

    private SecretInput() {}

    static void find(SimpleCommand command, Secrets secrets) {
        if (!readsSecret(command.words()) && command.behind().stream().noneMatch(SecretInput::readsSecret)) {
            return;
        }
        if (command.input() != null) {
            secrets.add(command.input(), 0);
        }
        for (SimpleCommand source : command.sources()) {
            printed(source.words(), secrets);
        }
    }

    /** The same of the words in front of a pipe and behind it. */
    static void find(List<Word> before, List<Word> behind, Secrets secrets) {
        if (!before.isEmpty() && readsSecret(behind)) {
            printed(before, secrets);
        }
    }

    private static boolean readsSecret(List<Word> words) {
        boolean sudo = words.stream().anyMatch(word -> word.name().equals("sudo"));
        String start = words.stream().limit(FIRST_WORDS).map(Word::text).collect(Collectors.joining(" "));
        return READING.matcher(start).matches()
                || words.stream()
                        .map(Word::text)
                        .anyMatch(text -> FROM_INPUT.contains(text)
                                || (sudo && STDIN_OF_SUDO.matcher(text).matches()));
    }

    private static void printed(List<Word> words, Secrets secrets) {
        String name = words.getFirst().name();
        if (name.equals("echo") || name.equals("printf")) {
            words.stream().skip(1).filter(word -> !word.text().startsWith("-")).forEach(word -> secrets.add(word, 0));
        }
    }
}
