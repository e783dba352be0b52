package dev.holdfast.policy;

import dev.holdfast.policy.classes.Classes;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Targets;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.program.Directory;
import dev.holdfast.shell.program.HandedOver;
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
        boolean holds(Action action, SimpleCommand command) {
            return switch (command.words().getFirst().name()) {
                case "rm" ->
                    (Targets.hasOption(command.words(), 'r', "--recursive")
                                    || Targets.hasOption(command.words(), 'R', "--recursive"))
                            ? operands(action, command, true)
                            : isAny(action, command, found(command), true);
                case "unlink", "shred" -> isAny(action, command, found(command), true);
                case "find" ->
                    texts(command).contains("-delete")
                            && !Targets.narrows(command.words())
                            && Targets.starts(command.words()).stream()
                                    .anyMatch(word -> Places.isGreat(action, command, word, true));
                case "rsync" ->
                    texts(command).stream().anyMatch(text -> text.startsWith("--del"))
                            && isAny(action, command, Targets.ofRsync(command.words()), true);
                default -> false;
            };
        }
    },
    MKFS(Decision.DENY, "It would make a new file system over what is there.") {
        @Override
        boolean holds(Action action, SimpleCommand command) {
            String program = command.words().getFirst().name();
            boolean makes = program.equals("mkfs")
                    || program.startsWith("mkfs.")
                    || Set.of("mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkreiserfs", "mkudffs", "mkexfatfs", "newfs")
                            .contains(program)
                    || (program.equals("wipefs") && Targets.hasOption(command.words(), 'a', "--all"));
            boolean tells = command.words().size() == 2
                    && ONLY_TELLS.contains(command.words().getLast().text());
            return makes && !tells;
        }
    },
    WRITE_DEVICE(Decision.DENY, "It would write over a disk, or the memory of the machine.") {
        @Override
        boolean holds(Action action, SimpleCommand command) {
            Stream<Word> redirected = command.redirects().stream()
                    .filter(redirect -> redirect.writes())
                    .map(redirect -> redirect.target());
            return Stream.concat(Targets.written(command.words()), redirected)
                    .filter(Word::known)
                    .anyMatch(word -> isDevice(action, command, word.text()));
        }
    },
    CHMOD_ROOT(Decision.DENY, "It would change who may do what with the whole system.") {
        @Override
        boolean holds(Action action, SimpleCommand command) {
            return Set.of("chmod", "chown", "chgrp", "setfacl", "chattr")
                            .contains(command.words().getFirst().name())
                    && (Targets.hasOption(command.words(), 'R', "--recursive")
                            ? operands(action, command, false)
                            : isAny(action, command, found(command), false));
        }
    },
    PIPE_TO_SHELL(Decision.ASK, "What comes over the network would be run.") {
        @Override
        boolean holds(Action action, SimpleCommand command) {
            return !command.from().isEmpty()
                    && Interpreter.runsWhatItGets(command)
                    && command.sources().stream()
                            .anyMatch(source -> Classes.TABLE.of(source).contains(CommandClass.NETWORK));
        }
    };

    static final List<Protection> ALL = List.of(values());

    private static final Set<String> ONLY_TELLS = Set.of("-h", "--help", "-V", "--version");
    private static final Pattern DEVICE = Pattern.compile(
            "/dev/((sd|hd|vd|xvd|r?disk[0-9]|nvme|mmcblk|dm-|md|loop|nbd|zd|sr|fd[0-9]|disk/|mapper/|block/).*|mem|kmem|port)");
    /** As many words with something in its place are looked at. */
    private static final int MAX_FILLED = 1000;

    final Decision decision;
    final String reason;

    Protection(Decision decision, String reason) {
        this.decision = decision;
        this.reason = reason;
    }

    abstract boolean holds(Action action, SimpleCommand command);

    String id() {
        return "builtin." + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<String> texts(SimpleCommand command) {
        return command.words().stream().skip(1).map(Word::text).toList();
    }

    /** Whether one of the operands is great: of what {@code find} or {@code xargs} hand over, that too. */
    private static boolean operands(Action action, SimpleCommand command, boolean homeCounts) {
        List<Word> operands =
                new ArrayList<>(command.words().subList(1, command.words().size()));
        operands.addAll(found(command));
        if (command.isBehind("xargs")) {
            Stream<Word> printed = command.sources().stream()
                    .filter(source -> Set.of("echo", "printf")
                            .contains(source.words().getFirst().name()))
                    .flatMap(source -> source.words().stream());
            Stream<Word> listed = command.from().stream()
                    .map(SimpleCommand::words)
                    .filter(source -> source.getFirst().name().equals("ls"))
                    .flatMap(source -> listed(source).stream());
            operands.addAll(byXargs(command, Stream.concat(printed, listed).toList()));
        }
        operands.removeIf(word -> word.text().startsWith("-"));
        return isAny(action, command, operands, homeCounts);
    }

    private static boolean isAny(Action action, SimpleCommand command, List<Word> words, boolean homeCounts) {
        return words.stream().anyMatch(word -> Places.isGreat(action, command, word, homeCounts));
    }

    /** Where a {@code find} begins that hands it all that is below, itself or through {@code xargs}. */
    private static List<Word> found(SimpleCommand command) {
        List<Word> found = new ArrayList<>(byXargs(
                command,
                command.from().stream()
                        .flatMap(source -> starts(source.words()).stream())
                        .toList()));
        command.behind().forEach(outer -> found.addAll(handedOver(command, outer, starts(outer))));
        return found;
    }

    private static List<Word> starts(List<Word> words) {
        return words.getFirst().name().equals("find") && !Targets.narrows(words) ? Targets.starts(words) : List.of();
    }

    private static List<Word> byXargs(SimpleCommand command, List<Word> words) {
        return command.behind().stream()
                .filter(outer -> outer.getFirst().name().equals("xargs"))
                .flatMap(outer -> handedOver(command, outer, words).stream())
                .toList();
    }

    /** Words as another program hands them to this one: behind its own, or in the place that they have in these. */
    private static List<Word> handedOver(SimpleCommand command, List<Word> outer, List<Word> words) {
        String gap = HandedOver.gap(outer);
        return gap == null
                ? words
                : command.words().stream()
                        .filter(word -> word.text().contains(gap))
                        .flatMap(word -> words.stream().map(one -> word.filled(gap, one)))
                        .limit(MAX_FILLED)
                        .toList();
    }

    /** The operands of {@code ls}. */
    private static List<Word> listed(List<Word> ls) {
        List<Word> operands =
                ls.stream().skip(1).filter(word -> !word.text().startsWith("-")).toList();
        return operands.isEmpty() ? List.of(Word.of(".")) : operands;
    }

    private static boolean isDevice(Action action, SimpleCommand command, String text) {
        if (text.length() > Directory.LONGEST || (!text.startsWith("/") && command.directory() == null)) {
            return false;
        }
        Optional<Path> folder = Places.directory(action, command);
        Path path = folder.orElse(Path.of("/")).resolve(text.replace('\0', '?'));
        return Places.meant(path).stream()
                .anyMatch(one -> DEVICE.matcher(one.toString()).matches());
    }
}
