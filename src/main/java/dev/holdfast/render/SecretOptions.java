package dev.holdfast.render;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.word.Word;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The secrets among the words of a command, by the options and operands in front of them. */
final class SecretOptions {
    /**
     * Options that carry a password in some programs and mean something else in all others.
     *
     * @param names a pattern
     * @param attached whether the value may follow without a space ({@code mysql -psecret})
     * @param next whether it may be the next word ({@code redis-cli -a secret})
     * @param pair whether it is a user's name, a colon and the password
     */
    private record Options(Pattern names, boolean attached, boolean next, boolean pair) {}

    private static final Map<String, Options> PROGRAMS = new HashMap<>();

    static {
        options("-p", true, false, "mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlpump mysqlsh");
        options("-p", true, false, "mariadb mariadb-dump mariadb-admin 7z 7za unrar");
        options("-p", false, true, "mongo mongosh mongodump mongorestore login twine");
        options("-p", true, true, "sshpass");
        options("-P", true, true, "zip unzip sqlcmd ipmitool");
        options("-w", true, true, "ldapsearch ldapmodify ldapadd");
        options("-a", false, true, "redis-cli");
        options("-[NP]", false, true, "ssh-keygen");
        options("-k", false, true, "openssl");
        pair("-[sSfLkvigjlNqO0-9#]*[uU]|--us(?:er?)?(?![a-z])|--proxy-us(?:er?)?(?![a-z])", "curl");
        pair("-a|--auth=?", "http https");
        options("-(?!.)", false, false, "smbclient rpcclient htpasswd");
    }

    private static void options(String names, boolean attached, boolean next, String programs) {
        Options options = new Options(Pattern.compile(names), attached, next, false);
        Stream.of(programs.split(" ", -1)).forEach(program -> PROGRAMS.put(program, options));
    }

    private static void pair(String names, String programs) {
        Options options = new Options(Pattern.compile(names), true, true, true);
        Stream.of(programs.split(" ", -1)).forEach(program -> PROGRAMS.put(program, options));
    }

    /** Programs whose arguments are text for a shell: a name in front of that is not the name of all of it. */
    private static final Set<String> OF_TEXT = Set.of(
            "sh", "bash", "dash", "zsh", "ksh", "ssh", "su", "eval", "watch", "trap", "script", "flock", "parallel");

    private static final Pattern NAMES = Pattern.compile("([\\w.-]++)=(?=.)", Pattern.DOTALL);
    private static final Pattern HEADER = Pattern.compile(
            "(?:-H|--header=)?([\\w-]{1,100}+)\\s{0,4}+:\\s{0,4}+" + SecretNames.SCHEMES + "(?=.)", Pattern.DOTALL);
    private static final Pattern ANY_VALUE = Pattern.compile("(?:--from-literal=)?\\w[\\w.-]*=(?=.)");
    private static final Pattern ANY_OPTION = Pattern.compile("-b|--(?:body|value|data)");
    /** Of options of the programs above, what stands in front of the secret in their value. */
    private static final Map<String, Pattern> WITHIN = Map.of(
            "-b", Pattern.compile("^[\\w.-]+="),
            "--cookie", Pattern.compile("^[\\w.-]+="),
            "-E", Pattern.compile("^[^:]+:(?!.*:)"),
            "--cert", Pattern.compile("^[^:]+:(?!.*:)"),
            "-U", Pattern.compile("^[^%]+%"));

    private static final Set<String> FROM_INPUT =
            Set.of("--password-stdin", "--with-token", "--passphrase-fd", "chpasswd", "--stdin-password");

    private final Secrets secrets;
    private final List<Word> words;
    private final boolean ofText;
    private final boolean settingSecrets;
    private @Nullable Options options;

    private SecretOptions(List<Word> words, Secrets secrets) {
        this.secrets = secrets;
        this.words = words;
        ofText = any(OF_TEXT);
        settingSecrets =
                any(Set.of("secret", "secrets", "vault")) && any(Set.of("set", "create", "put", "add", "write"));
    }

    /** What a command has in it for which this is made, in small letters. */
    static Stream<String> marks() {
        return Stream.concat(PROGRAMS.keySet().stream(), Stream.of("sudo -s"));
    }

    static void find(List<Word> words, Secrets secrets) {
        SecretOptions options = new SecretOptions(words, secrets);
        for (int i = 0; i < words.size(); i++) {
            options.word(i);
        }
        boolean told = words.getFirst().name().equals("htpasswd")
                && words.stream().anyMatch(word -> word.text().matches("-[a-zA-Z]*b[a-zA-Z]*"));
        if (told) {
            secrets.add(words.getLast(), 0);
        }
    }

    /** What a command is given as a password, where it is a word of another one: {@code echo x | sudo -S ls}. */
    static void findInput(SimpleCommand command, Secrets secrets) {
        boolean reads = command.words().stream().anyMatch(word -> FROM_INPUT.contains(word.text()))
                || command.behind().stream()
                        .anyMatch(outer -> outer.getFirst().name().equals("sudo")
                                && outer.stream().anyMatch(word -> word.text().equals("-S")));
        if (!reads) {
            return;
        }
        if (command.input() != null) {
            secrets.add(command.input(), 0);
        }
        for (SimpleCommand source : command.from()) {
            String name = source.words().getFirst().name();
            if (name.equals("echo") || name.equals("printf")) {
                source.words().stream()
                        .skip(1)
                        .filter(word -> !word.text().startsWith("-"))
                        .forEach(word -> secrets.add(word, 0));
            }
        }
    }

    private boolean any(Set<String> texts) {
        return words.stream().anyMatch(word -> texts.contains(word.name()));
    }

    private void word(int at) {
        Word word = words.get(at);
        String text = word.text();
        options = PROGRAMS.getOrDefault(word.name(), options);
        Matcher names = NAMES.matcher(text);
        while (names.lookingAt() && !SecretNames.isSecret(names.group(1)) && names.end() < text.length()) {
            names.region(names.end(), text.length());
        }
        Matcher any = ANY_VALUE.matcher(text);
        if (names.lookingAt() && SecretNames.isSecret(names.group(1))) {
            secrets.add(word, names.end(), ofText && text.contains(" ") ? blank(text, names.end()) : text.length());
        } else if (settingSecrets && any.lookingAt()) {
            secrets.add(word, any.end());
        } else {
            header(at, word);
            option(at, word);
        }
    }

    private static int blank(String text, int from) {
        int blank = text.indexOf(' ', from);
        return blank < 0 || "\"'".indexOf(text.charAt(from)) >= 0 ? from : blank;
    }

    private void header(int at, Word word) {
        boolean isOne = word.text().startsWith("-H")
                || word.text().startsWith("--header=")
                || (at > 0 && words.get(at - 1).text().matches("-H|--header"));
        Matcher header = HEADER.matcher(word.text());
        if (isOne && header.lookingAt() && SecretNames.isSecretHeader(header.group(1))) {
            secrets.add(word, header.end());
        }
    }

    private void option(int at, Word word) {
        String text = word.text();
        Word next = at + 1 < words.size() && !words.get(at + 1).text().startsWith("-") ? words.get(at + 1) : null;
        Matcher own = options == null ? null : options.names().matcher(text);
        if (options != null && own != null && own.lookingAt()) {
            boolean within = own.end() < text.length();
            Word value = within ? word : next;
            int from = within ? own.end() : 0;
            boolean takes = within ? options.attached() : options.next();
            if (value != null
                    && takes
                    && (!options.pair() || isPair(value.text().substring(from)))) {
                secrets.add(value, from);
                return;
            }
        }
        Pattern within = options == null || next == null ? null : WITHIN.get(text);
        if (next != null && within != null && within.matcher(next.text()).find()) {
            Matcher value = within.matcher(next.text());
            secrets.add(next, value.find() ? value.end() : 0);
        } else if (next != null
                && (takesSecret(at, text)
                        || (settingSecrets && ANY_OPTION.matcher(text).matches()))) {
            secrets.add(next, next.text().startsWith("pass:") ? 5 : 0);
        }
    }

    private static boolean isPair(String value) {
        int colon = value.indexOf(':');
        return colon >= 0 && (colon == value.length() - 1 || !SecretNames.isHarmless(value.substring(colon + 1)));
    }

    /** Whether the word after this one is a secret: {@code --token x}, {@code config set token x}. */
    private boolean takesSecret(int at, String text) {
        String name = text.substring(text.lastIndexOf(':') + 1);
        if (text.startsWith("-")) {
            return SecretNames.isSecret(text)
                    && !(text.equals("--secret") && any(Set.of("docker", "podman", "buildah", "nerdctl")));
        }
        return at > 0 && words.get(at - 1).text().equals("set") && SecretNames.isSecret(name);
    }
}
