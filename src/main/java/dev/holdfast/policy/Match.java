package dev.holdfast.policy;

import com.google.re2j.Pattern;
import dev.holdfast.policy.Action.On;
import dev.holdfast.policy.classes.Classes;
import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.policy.classes.Hijacks;
import dev.holdfast.policy.classes.Wildcard;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.word.Word;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a rule is for. Of what is not empty all must hold, and of a list one. A rule that denies or asks is held against
 * a command's own words and against every form in front of it; one that allows against its own words alone, and those
 * of a privileged command begin with the {@code sudo} in front of it.
 */
record Match(
        List<Wildcard> command,
        List<String> executable,
        List<String> text,
        List<Pattern> regex,
        Set<CommandClass> classes,
        List<String> workdir,
        List<Wildcard> env,
        Map<String, List<String>> labels,
        List<String> actor,
        Set<On> on) {

    /**
     * A command in the action that it is of.
     *
     * @param understood false for the whole of a text that follows no grammar, as one word
     */
    record Subject(Action action, SimpleCommand command, Set<CommandClass> classes, boolean understood) {}

    boolean allows(Subject subject) {
        boolean byWords = !command.isEmpty() || !executable.isEmpty();
        return around(subject.action())
                && (subject.understood() || !byWords)
                && allowsClasses(subject.classes())
                && (workdir.isEmpty()
                        || (isIn(Optional.of(subject.action().workdir()))
                                && isIn(Places.directory(subject.action(), subject.command()))))
                && words(subject, List.of(allowedForm(subject.command(), subject.classes())), false)
                && !(byWords && isHijacked(subject));
    }

    boolean restricts(Subject subject) {
        return around(subject.action())
                && (classes.isEmpty() || !Collections.disjoint(classes, subject.classes()))
                && (workdir.isEmpty()
                        || isIn(Optional.of(subject.action().workdir()))
                        || isIn(Places.directory(subject.action(), subject.command())))
                && words(subject, forms(subject.command()), true);
    }

    /** Whether it names a key of the environment. */
    boolean namesKey(String key) {
        return env.stream().anyMatch(wanted -> wanted.matches(key));
    }

    private boolean around(Action action) {
        return on.contains(action.on())
                && (actor.isEmpty() || actor.contains(action.actor().name()))
                && (env.isEmpty() || action.env().stream().anyMatch(this::namesKey))
                && labels.entrySet().stream()
                        .allMatch(label ->
                                label.getValue().contains(action.labels().getOrDefault(label.getKey(), "")))
                && (text.isEmpty() || text.stream().anyMatch(action.text()::contains))
                && (regex.isEmpty()
                        || regex.stream()
                                .anyMatch(pattern ->
                                        pattern.matcher(action.text()).find()));
    }

    /** A variable makes another program of the words than they name: then the class must be named too. */
    private boolean isHijacked(Subject subject) {
        return !classes.contains(CommandClass.UNKNOWN) && Hijacks.areSetFor(subject.command());
    }

    /** What is grave must be named. */
    private boolean allowsClasses(Set<CommandClass> of) {
        return classes.isEmpty()
                || (!Collections.disjoint(classes, of)
                        && of.stream().noneMatch(one -> CommandClass.GRAVE.contains(one) && !classes.contains(one)));
    }

    private boolean isIn(Optional<Path> folder) {
        return folder.map(Places::real)
                .filter(real -> workdir.stream()
                        .anyMatch(glob -> FileSystems.getDefault()
                                .getPathMatcher("glob:" + glob)
                                .matches(real)))
                .isPresent();
    }

    private boolean words(Subject subject, Collection<List<Word>> forms, boolean restricts) {
        return (command.isEmpty() || forms.stream().anyMatch(form -> isWritten(form, restricts)))
                && (executable.isEmpty() || forms.stream().anyMatch(form -> runs(subject, form, restricts)));
    }

    /** The words that an allowing rule is held against, with what xargs adds to them, which nobody knows. */
    static List<Word> allowedForm(SimpleCommand command, Set<CommandClass> classes) {
        return Stream.concat(ownForm(command, classes).stream(), Classes.addedByXargs(command).stream())
                .toList();
    }

    /** As they are written: of a privileged command those that begin with what makes it so. */
    static List<Word> ownForm(SimpleCommand command, Set<CommandClass> classes) {
        if (!classes.contains(CommandClass.PRIVILEGED)) {
            return command.words();
        }
        return command.behind().stream()
                .filter(outer -> Set.of("sudo", "doas", "su", "pkexec", "runuser", "run0")
                        .contains(outer.getFirst().name()))
                .findFirst()
                .orElse(command.words());
    }

    private static List<List<Word>> forms(SimpleCommand command) {
        List<List<Word>> forms = new ArrayList<>();
        forms.add(command.words());
        for (List<Word> outer : command.behind()) {
            forms.add(outer);
            forms.add(Stream.concat(Stream.of(outer.getFirst()), command.words().stream())
                    .toList());
        }
        return forms;
    }

    private boolean isWritten(List<Word> form, boolean restricts) {
        String written = form.stream().map(Word::text).collect(Collectors.joining(" "));
        String program = form.getFirst().text();
        String byName = form.getFirst().name() + written.substring(program.length());
        return command.stream().anyMatch(pattern -> pattern.matches(written) || (restricts && pattern.matches(byName)));
    }

    private boolean runs(Subject subject, List<Word> form, boolean restricts) {
        Word program = form.getFirst();
        BiPredicate<String, String> same = (wanted, written) ->
                wanted.indexOf('/') < 0 ? isNamed(subject, wanted, written, restricts) : isAt(subject, wanted, written);
        return program.known() && executable.stream().anyMatch(wanted -> same.test(wanted, program.text()));
    }

    private static boolean isAt(Subject subject, String wanted, String written) {
        Path there = Places.program(subject.action(), subject.command(), written);
        return written.equals(wanted) || (there != null && there.equals(Places.real(Path.of(wanted))));
    }

    /** A path has that name, or leads to a file of it; to be allowed it must be the very one that the name finds. */
    private static boolean isNamed(Subject subject, String wanted, String written, boolean restricts) {
        if (written.indexOf('/') < 0) {
            return written.equals(wanted);
        }
        Path there = Places.program(subject.action(), subject.command(), written);
        if (!restricts) {
            return there != null && there.equals(Places.program(subject.action(), subject.command(), wanted));
        }
        return written.endsWith("/" + wanted) || (there != null && there.endsWith(wanted));
    }
}
