package dev.holdfast.policy;

import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.SimpleCommand.Runs;
import dev.holdfast.shell.word.Word;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The built-in rules for single commands. What is not known for certain is none of theirs. */
enum Protection {
    RM_ROOT(Decision.DENY, "It would delete the root, a folder of the system, or the home folder.") {
        @Override
        boolean holds(Action action, SimpleCommand command, Set<CommandClass> classes) {
            return switch (command.words().getFirst().name()) {
                case "rm" ->
                    (hasOption(command, 'r', "--recursive") || hasOption(command, 'R', "--recursive"))
                            ? operands(action, command, true)
                            : isAny(action, command, found(command), true);
                case "unlink", "shred" -> isAny(action, command, found(command), true);
                case "find" ->
                    texts(command).contains("-delete")
                            && !narrows(command.words())
                            && starts(command.words()).stream()
                                    .anyMatch(word -> Places.isGreat(action, command, word, true));
                case "rsync" ->
                    texts(command).stream().anyMatch(text -> text.startsWith("--del"))
                            && isAny(action, command, targets(command.words()), true);
                default -> false;
            };
        }
    },
    MKFS(Decision.DENY, "It would make a new file system over what is there.") {
        @Override
        boolean holds(Action action, SimpleCommand command, Set<CommandClass> classes) {
            String program = command.words().getFirst().name();
            boolean makes = program.equals("mkfs")
                    || program.startsWith("mkfs.")
                    || Set.of("mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkreiserfs", "mkudffs", "mkexfatfs", "newfs")
                            .contains(program)
                    || (program.equals("wipefs") && hasOption(command, 'a', "--all"));
            return makes && texts(command).stream().noneMatch(ONLY_TELLS::contains);
        }
    },
    WRITE_DEVICE(Decision.DENY, "It would write over a disk, or the memory of the machine.") {
        @Override
        boolean holds(Action action, SimpleCommand command, Set<CommandClass> classes) {
            List<Word> words = command.words();
            Stream<Word> written = switch (words.getFirst().name()) {
                case "dd", "dcfldd" ->
                    words.stream().filter(word -> word.text().startsWith("of=")).map(word -> word.from(3));
                case "tee",
                        "shred",
                        "wipefs",
                        "blkdiscard",
                        "truncate",
                        "sgdisk",
                        "sponge",
                        "badblocks",
                        "curl",
                        "wget" -> words.stream().skip(1).map(Protection::value);
                case "tar" ->
                    words.size() > 1 && words.get(1).text().matches("-?[a-zA-Z]*[cru].*")
                            ? words.stream().skip(1).map(Protection::value)
                            : Stream.empty();
                case "cp", "mv", "install", "rsync", "ddrescue" -> Stream.of(words.getLast());
                default -> Stream.empty();
            };
            Stream<Word> redirected = command.redirects().stream()
                    .filter(redirect -> redirect.writes())
                    .map(redirect -> redirect.target());
            boolean looks = words.getFirst().name().equals("wipefs") && !hasOption(command, 'a', "--all");
            return Stream.concat(looks ? Stream.empty() : written, redirected)
                    .filter(Word::known)
                    .anyMatch(word -> isDevice(action, command, word.text()));
        }
    },
    CHMOD_ROOT(Decision.DENY, "It would change who may do what with the whole system.") {
        @Override
        boolean holds(Action action, SimpleCommand command, Set<CommandClass> classes) {
            return Set.of("chmod", "chown", "chgrp", "setfacl", "chattr")
                            .contains(command.words().getFirst().name())
                    && (hasOption(command, 'R', "--recursive")
                            ? operands(action, command, false)
                            : isAny(action, command, found(command), false));
        }
    },
    PIPE_TO_SHELL(Decision.ASK, "What comes over the network would be run.") {
        @Override
        boolean holds(Action action, SimpleCommand command, Set<CommandClass> classes) {
            return !command.from().isEmpty()
                    && runsWhatItGets(command)
                    && command.sources().stream()
                            .anyMatch(source -> Classes.TABLE.of(source).contains(CommandClass.NETWORK));
        }
    };

    static final List<Protection> ALL = List.of(values());

    private static final Set<String> ONLY_TELLS = Set.of("-h", "--help", "-V", "--version");
    private static final Pattern DEVICE = Pattern.compile(
            "/dev/((sd|hd|vd|xvd|r?disk[0-9]|nvme|mmcblk|dm-|md|loop|nbd|zd|sr|fd[0-9]|disk/|mapper/|block/).*|mem|kmem|port)");
    private static final Pattern STDIN = Pattern.compile("/dev/stdin|/dev/fd/0|/proc/self/fd/0");
    private static final Pattern INTERPRETER =
            Pattern.compile("(python|perl|ruby|node|nodejs|php|lua|deno|bun|pwsh|osascript|Rscript|tclsh)[0-9.]*");
    /** Of interpreters, whose script stands behind {@code run}. */
    private static final Set<String> RUNNING = Set.of("deno", "bun");

    private static final Pattern SHELL =
            Pattern.compile("sh|bash|dash|zsh|ksh|mksh|ash|fish|rbash|t?csh|source|\\.|eval");
    /** Of {@code find}, what makes it find less than all. */
    private static final Pattern TEST = Pattern.compile(
            "-(i?name|i?path|i?wholename|i?regex|i?lname|user|group|uid|gid|nouser|nogroup|perm|size|empty|[acm](time|min)"
                    + "|a?newer..?|newer|inum|samefile|links|fstype)");

    private final Decision decision;
    private final String reason;

    Protection(Decision decision, String reason) {
        this.decision = decision;
        this.reason = reason;
    }

    abstract boolean holds(Action action, SimpleCommand command, Set<CommandClass> classes);

    Decision decision() {
        return decision;
    }

    String reason() {
        return reason;
    }

    String id() {
        return "builtin." + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<String> texts(SimpleCommand command) {
        return command.words().stream().skip(1).map(Word::text).toList();
    }

    /** Also among other letters, and a long one cut short as getopt takes it. */
    private static boolean hasOption(SimpleCommand command, char letter, String name) {
        for (String text : texts(command)) {
            if (text.equals("--")) {
                return false;
            }
            boolean isLong = text.startsWith("--");
            if (isLong ? name.startsWith(text) : text.startsWith("-") && text.indexOf(letter) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether one of the operands is great: of what {@code find} or {@code xargs} hand over, that too. */
    private static boolean operands(Action action, SimpleCommand command, boolean homeCounts) {
        List<Word> operands =
                new ArrayList<>(command.words().subList(1, command.words().size()));
        operands.addAll(found(command));
        if (command.isBehind("xargs")) {
            command.sources().stream()
                    .filter(source -> Set.of("echo", "printf")
                            .contains(source.words().getFirst().name()))
                    .forEach(source -> operands.addAll(source.words()));
            command.from().stream()
                    .map(SimpleCommand::words)
                    .filter(source -> source.getFirst().name().equals("ls"))
                    .forEach(source -> operands.addAll(listed(source)));
        }
        operands.removeIf(word -> word.text().startsWith("-"));
        return isAny(action, command, operands, homeCounts);
    }

    private static boolean isAny(Action action, SimpleCommand command, List<Word> words, boolean homeCounts) {
        return words.stream().anyMatch(word -> Places.isGreat(action, command, word, homeCounts));
    }

    /** Where a {@code find} begins that hands it all that is below, itself or through {@code xargs}. */
    private static List<Word> found(SimpleCommand command) {
        List<List<Word>> finds = new ArrayList<>(command.behind());
        if (command.isBehind("xargs")) {
            command.from().forEach(source -> finds.add(source.words()));
        }
        return finds.stream()
                .filter(words -> words.getFirst().name().equals("find") && !narrows(words))
                .flatMap(words -> starts(words).stream())
                .toList();
    }

    /** The operands of {@code ls}. */
    private static List<Word> listed(List<Word> ls) {
        List<Word> operands =
                ls.stream().skip(1).filter(word -> !word.text().startsWith("-")).toList();
        return operands.isEmpty() ? List.of(Word.of(".")) : operands;
    }

    /** What {@code rsync} writes to: what is behind its first operand. */
    private static List<Word> targets(List<Word> rsync) {
        List<Word> operands = new ArrayList<>();
        for (int i = 1; i < rsync.size(); i++) {
            String before = rsync.get(i - 1).text();
            boolean value = before.matches(
                    "-[a-zA-Z]*[efT]|--(exclude|include|filter|rsh|exclude-from|include-from|files-from|temp-dir)");
            if (!value && !rsync.get(i).text().startsWith("-")) {
                operands.add(rsync.get(i));
            }
        }
        return operands.subList(Math.min(1, operands.size()), operands.size());
    }

    /** Where {@code find} begins. */
    private static List<Word> starts(List<Word> find) {
        List<Word> starts = find.stream()
                .skip(1)
                .dropWhile(word -> word.text().matches("-[HLPDO].*"))
                .takeWhile(word -> !word.text().matches("[-(!].*"))
                .toList();
        return starts.isEmpty() ? List.of(Word.of(".")) : starts;
    }

    private static boolean narrows(List<Word> find) {
        for (int i = 1; i < find.size(); i++) {
            boolean all = i + 1 < find.size() && find.get(i + 1).text().matches("[*]+|[.][*]|/[*]");
            boolean negated = find.get(i - 1).text().matches("!|-not");
            if (!all && !negated && TEST.matcher(find.get(i).text()).matches()) {
                return true;
            }
        }
        return false;
    }

    /** Of an option with its value at it that value: {@code -o/dev/sda}. */
    private static Word value(Word option) {
        int path = option.text().indexOf('/');
        return option.text().startsWith("-") && path > 0 ? option.from(path) : option;
    }

    private static boolean isDevice(Action action, SimpleCommand command, String text) {
        if (text.length() > Places.LONGEST || (!text.startsWith("/") && command.directory() == null)) {
            return false;
        }
        Optional<Path> folder = Places.directory(action, command);
        Path path = folder.orElse(Path.of("/")).resolve(text.replace('\0', '?'));
        return Places.meant(path).stream()
                .anyMatch(one -> DEVICE.matcher(one.toString()).matches());
    }

    /** A shell that reads its input or a word that only running tells; an interpreter likewise, without a script. */
    private static boolean runsWhatItGets(SimpleCommand command) {
        Word program = command.words().getFirst();
        List<Word> words = command.words().subList(1, command.words().size());
        // Behind a script stand its arguments, which are data.
        int script = 0;
        while (script < words.size() && words.get(script).text().matches("(?s)-.+")) {
            script++;
        }
        if (script < words.size() && words.get(script).text().equals("run") && RUNNING.contains(program.name())) {
            script++;
        }
        int last = program.text().equals("eval") ? words.size() : Math.min(script + 1, words.size());
        boolean unknownWord = words.subList(0, last).stream().anyMatch(word -> !word.known());
        if (program.text().startsWith("$(") || program.text().startsWith("`")) {
            return true;
        }
        if (SHELL.matcher(program.name()).matches()) {
            boolean readsFile =
                    words.stream().anyMatch(word -> STDIN.matcher(word.text()).matches());
            return command.runs() == Runs.UNKNOWN_TEXT || unknownWord || readsFile;
        }
        if (!INTERPRETER.matcher(program.name()).matches()) {
            return false;
        }
        String file = script == words.size() ? "-" : words.get(script).text();
        boolean isInput = file.equals("-") || STDIN.matcher(file).matches();
        boolean hasText =
                words.subList(0, script).stream().anyMatch(word -> word.text().matches("-[a-zA-Z]*[cemnp].*"));
        return unknownWord || (isInput && !hasText);
    }
}
