package dev.holdfast.render;

import dev.holdfast.shell.word.Word;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
     * @param pair what stands between a user's name and the password, where it is both; else null
     */
    private record Options(
            Pattern names,
            boolean attached,
            boolean next,
            @Nullable Character pair) {}

    /** By a word of the command, or by two. */
    private static final Map<String, Options> PROGRAMS = new HashMap<>();

    static {
        options("-p", true, false, "mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlpump mysqlsh");
        options("-p", true, false, "mariadb mariadb-dump mariadb-admin 7z 7za unrar");
        // No path, and no ports.
        options("-p(?!ath(?:=|$)|[0-9]+:[0-9])", true, true, "mongo mongosh mongodump mongorestore login");
        options("-p", true, true, "sshpass rabbitmqadmin cqlsh twine poetry:publish uv:publish");
        options("-P", true, true, "zip unzip sqlcmd ipmitool");
        options("-w", true, true, "ldapsearch ldapmodify ldapadd");
        options("-a", true, true, "redis-cli");
        options("-[NP]", false, true, "ssh-keygen");
        options("-k", false, true, "openssl");
        options("--auth(?:=|$)", true, true, "netlify");
        pair("-[sSfLkvigjlNqO0-9#]*[uU]|--us(?:er?)?(?![a-z])|--proxy-us(?:er?)?(?![a-z])", ':', "curl");
        pair("-a|--auth=?", ':', "http https xh xhs");
        pair("--user=?", ':', "etcdctl");
        pair("-auth", ':', "jenkins-cli jenkins-cli.jar");
        pair("--(?:src-|dest-)?creds=?", ':', "skopeo podman buildah");
        pair("-u|--user=?", ',', "lftp open");
        options("-(?!.)", false, false, "smbclient rpcclient htpasswd");
    }

    private static void options(String names, boolean attached, boolean next, String programs) {
        Options options = new Options(Pattern.compile(names), attached, next, null);
        Stream.of(programs.split(" ", -1)).forEach(program -> PROGRAMS.put(program, options));
    }

    private static void pair(String names, char between, String programs) {
        Options options = new Options(Pattern.compile(names), true, true, between);
        Stream.of(programs.split(" ", -1)).forEach(program -> PROGRAMS.put(program, options));
    }

    /** Programs whose arguments are text for a shell: a name in front of that is not the name of all of it. */
    private static final Set<String> OF_TEXT = Set.of(
            "sh", "bash", "dash", "zsh", "ksh", "ssh", "su", "eval", "watch", "trap", "script", "flock", "parallel");

    private static final Pattern NAMES = Pattern.compile("([\\w.-]++)=(?=.)", Pattern.DOTALL);
    private static final Pattern HEADER = Pattern.compile(
            "(?:-H|--header=)?([\\w-]{1,100}+)\\s{0,4}+:\\s{0,4}+" + SecretNames.SCHEMES + "(?=.)", Pattern.DOTALL);
    private static final Pattern ANY_VALUE =
            Pattern.compile("(?:(?:--from-literal=)?\\w[\\w.-]*|--(?:body|value))=(?=.)|-b(?=.)", Pattern.DOTALL);
    private static final Pattern ANY_OPTION = Pattern.compile("-b|--(?:body|value|data)");
    /** Of options of the programs above, what stands in front of the secret in their value. */
    private static final Map<String, Pattern> WITHIN = Map.of(
            "-b", Pattern.compile("^[\\w.-]+="),
            "--cookie", Pattern.compile("^[\\w.-]+="),
            "-E", Pattern.compile("^[^:]+:(?!.*:)"),
            "--cert", Pattern.compile("^[^:]+:(?!.*:)"),
            "-U", Pattern.compile("^[^%]+%"));

    /** Programs with their words in front of a secret, {@code S}; a star is any word, or the rest of one. */
    private static final Map<String, List<List<String>>> OPERANDS = """
            vault login S|vault unwrap S|vault operator unseal S|cargo login S|glab auth login S|mc alias set * * S S
            rabbitmqctl add_user * S|rabbitmqctl change_password * S|rabbitmqctl authenticate_user * S
            ngrok authtoken S|ngrok config add-authtoken S|pulumi config set * S|ansible-vault encrypt_string S
            composer config http-basic.* * S|composer config github-oauth.* S|redis-cli AUTH S S|redis-cli auth S S
            poetry config http-basic.* * S|poetry config pypi-token.* S\
            """.lines()
            .flatMap(line -> Stream.of(line.split("[|]", -1)))
            .map(row -> List.of(row.split(" ", -1)))
            .collect(Collectors.groupingBy(List::getFirst));
    /** Their options whose value is the next word. */
    private static final Pattern TAKES_VALUE =
            Pattern.compile("--?(?:method|address|agent-address|namespace|format|field)|-[CZhnps]|-path"
                    + "|--(?:registry|config|color|node|vhost|timeout|stack|cwd|config-file|type|hostname|name"
                    + "|working-dir|directory|vault-id|encrypt-vault-id|vault-password-file)");

    private static final int MOST_OPERANDS = 6;
    private static final Pattern NETWORK_KEY = Pattern.compile("(?:.*[.])?(?:psk|wep-key[0-3])|.*[.](?:pin|secrets)");

    private final Secrets secrets;
    private final List<Word> words;
    private final boolean ofText;
    private final boolean settingSecrets;
    private final boolean secretly;
    private final boolean wireless;
    private @Nullable Options options;

    private SecretOptions(List<Word> words, Secrets secrets) {
        this.secrets = secrets;
        this.words = words;
        ofText = any(OF_TEXT);
        secretly = words.stream().anyMatch(word -> word.text().matches("--secret(=true)?"));
        wireless = any(Set.of("nmcli"));
        settingSecrets = (any(Set.of("secret", "secrets", "vault"))
                        && any(Set.of("set", "create", "put", "patch", "add", "write")))
                || any(Set.of("SecureString", "--type=SecureString"));
    }

    /** What a command has in it for which this is made, in small letters. */
    static Stream<String> marks() {
        Stream<String> programs = OPERANDS.keySet().stream().map(name -> name.length() > 2 ? name : name + " ");
        Stream<String> options = PROGRAMS.keySet().stream().map(name -> name.substring(name.indexOf(':') + 1));
        return Stream.of(options, programs, Stream.of("sudo -", "nmcli", "securestring", "vercel env"))
                .flatMap(marks -> marks);
    }

    static void find(List<Word> words, Secrets secrets) {
        SecretOptions options = new SecretOptions(words, secrets);
        for (int i = 0; i < words.size(); i++) {
            options.word(i);
            options.operands(i);
        }
        boolean told = words.getFirst().name().equals("htpasswd")
                && words.stream().anyMatch(word -> word.text().matches("-[a-zA-Z]*b[a-zA-Z]*"));
        if (told) {
            secrets.add(words.getLast(), 0);
        }
    }

    private boolean any(Set<String> texts) {
        return words.stream().anyMatch(word -> texts.contains(word.name()));
    }

    private void word(int at) {
        Word word = words.get(at);
        String text = word.text();
        String before = at == 0 ? "" : words.get(at - 1).name();
        options = PROGRAMS.getOrDefault(before + ":" + word.name(), PROGRAMS.getOrDefault(word.name(), options));
        Matcher names = NAMES.matcher(text);
        while (names.lookingAt() && !SecretNames.isSecret(names.group(1)) && names.end() < text.length()) {
            names.region(names.end(), text.length());
        }
        Matcher any = ANY_VALUE.matcher(text);
        if (names.lookingAt() && SecretNames.isSecret(names.group(1))) {
            secrets.add(word, names.end(), ofText && text.contains(" ") ? blank(text, names.end()) : text.length());
        } else if ((settingSecrets || isSetSecretly(at)) && any.lookingAt()) {
            secrets.add(word, any.end());
        } else {
            header(at, word);
            option(at, word);
        }
    }

    /** What follows a program, the word for what it is to do, and so many others. */
    private void operands(int at) {
        List<List<String>> rows = OPERANDS.getOrDefault(words.get(at).name(), List.of());
        List<Word> plain = new ArrayList<>();
        for (int i = at + 1; !rows.isEmpty() && i < words.size() && plain.size() < MOST_OPERANDS; i++) {
            String text = words.get(i).text();
            i += TAKES_VALUE.matcher(text).matches() ? 1 : 0;
            if (!text.startsWith("-") && !text.startsWith("+")) {
                plain.add(words.get(i));
            }
        }
        rows.stream()
                .filter(row -> secretly || !row.getFirst().equals("pulumi"))
                .forEach(row -> operands(row.subList(1, row.size()), plain));
    }

    private void operands(List<String> row, List<Word> plain) {
        for (int i = 0; i < Math.min(row.size(), plain.size()); i++) {
            String text = plain.get(i).text();
            String wanted = row.get(i);
            if (wanted.equals("S") && !text.matches("(?s)[a-z_]+=[^=].*")) {
                secrets.add(plain.get(i), 0);
            } else if (!wanted.equals("S")
                    && !text.equals(wanted)
                    && !(wanted.endsWith("*") && text.startsWith(wanted.substring(0, wanted.length() - 1)))) {
                return;
            }
        }
    }

    /** {@code pulumi config set-all --secret k=S}. */
    private boolean isSetSecretly(int at) {
        return at > 0 && words.get(at - 1).text().equals("--secret") && any(Set.of("pulumi"));
    }

    private static int blank(String text, int from) {
        int blank = text.indexOf(' ', from);
        return blank < 0 || "\"'".indexOf(text.charAt(from)) >= 0 ? from : blank;
    }

    private void header(int at, Word word) {
        boolean isOne = word.text().startsWith("-H")
                || word.text().startsWith("--header=")
                || (at > 0 && words.get(at - 1).text().matches("-H|--header"))
                || Objects.equals(options, PROGRAMS.get("http"));
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
                    && (options.pair() == null || isPair(value.text().substring(from), options.pair()))) {
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

    private static boolean isPair(String value, char between) {
        int at = value.indexOf(between);
        return at >= 0 && (at == value.length() - 1 || !SecretNames.isHarmless(value.substring(at + 1)));
    }

    /** Whether the word after this one is a secret: {@code --token x}, {@code config set token x}. */
    private boolean takesSecret(int at, String text) {
        String name = text.substring(text.lastIndexOf(':') + 1);
        if (text.startsWith("-")) {
            return SecretNames.isSecret(text)
                    && !(text.equals("--secret") && any(Set.of("docker", "podman", "buildah", "nerdctl", "pulumi")));
        }
        return (at > 0 && (wireless || words.get(at - 1).text().equals("set")) && SecretNames.isSecret(name))
                || (wireless && NETWORK_KEY.matcher(text).matches());
    }
}
