package dev.holdfast.policy;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.classes.Hijacks;
import dev.holdfast.shell.Script;
import dev.holdfast.shell.ShellText;
import dev.holdfast.shell.SimpleCommand;
import dev.holdfast.shell.program.ShellWords;
import dev.holdfast.shell.word.Word;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wants to do.
 *
 * @param script what the text runs
 * @param text the whole of it; of a program and its arguments these, with one blank between them
 * @param workdir where it would run, a real path
 * @param env the keys that the caller sets or unsets
 * @param hijacks those of them that change what runs
 * @param actor who wants it, whose mode holds too
 */
public record Action(
        Script script,
        String text,
        Path workdir,
        Set<String> env,
        Set<String> hijacks,
        Map<String, String> labels,
        Actor actor,
        On on) {

    /** What is done with a command. */
    public enum On {
        COMMAND,
        INPUT,
        /** A stop or a signal; the command is the one that runs. */
        STOP
    }

    /**
     * Of a command that starts or is stopped. A `shell` that is none here is a program like any other.
     *
     * @param dataDir where the shells are that we have made for sessions
     */
    public static Action of(CommandSpec command, Actor actor, On on, Path dataDir) {
        Set<String> env = Set.copyOf(command.envKeys());
        return switch (command.invocation()) {
            case Invocation.ShellText text
            when isShell(Path.of(text.shell()), dataDir) ->
                ofText(text.cmd(), command.workdir(), env, command.labels(), actor, on);
            case Invocation.ShellText text -> {
                List<String> argv = List.of(text.shell(), "-c", text.cmd());
                yield ofArguments(argv, command.workdir(), env, command.labels(), actor, on);
            }
            case Invocation.Program program ->
                ofArguments(program.argv(), command.workdir(), env, command.labels(), actor, on);
        };
    }

    /** Whether a shell of that name is found by it, or is the one that the server's user has, or one of ours. */
    private static boolean isShell(Path path, Path dataDir) {
        String folders = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        return ShellWords.isShell(Word.of(path.toString()))
                && (path.toString().equals(System.getenv("SHELL"))
                        || path.startsWith(dataDir.toAbsolutePath().resolve("shells"))
                        || Stream.of(folders.split(":"))
                                .anyMatch(folder -> Path.of(folder).equals(path.getParent())));
    }

    public static Action ofText(
            String cmd, Path workdir, Set<String> env, Map<String, String> labels, Actor actor, On on) {
        return new Action(ShellText.read(cmd, known(env)), cmd, workdir, env, hijacks(env), labels, actor, on);
    }

    public static Action ofArguments(
            List<String> argv, Path workdir, Set<String> env, Map<String, String> labels, Actor actor, On on) {
        return new Action(
                ShellText.read(argv, known(env)),
                String.join(" ", argv),
                workdir,
                env,
                hijacks(env),
                labels,
                actor,
                on);
    }

    /** With the values of its environment, which may be tame: a pager that is {@code cat}. */
    public Action withValues(Map<String, @Nullable String> values) {
        Set<String> wild = new HashSet<>(hijacks);
        wild.removeIf(key -> {
            String value = values.get(key);
            return value != null && !Hijacks.isNamed(Word.of(key + "=" + value));
        });
        return new Action(script, text, workdir, env, wild, labels, actor, on);
    }

    private static Set<String> hijacks(Set<String> env) {
        return env.stream().filter(Hijacks::names).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether its text is whole: no quote of it is open, no loop and no here-document. */
    public boolean isWhole() {
        return script.understood() && script.hereDocuments().stream().noneMatch(Script.HereDocument::open);
    }

    /** Whether a shell that reads commands from its input is among what a command runs. */
    public static boolean startsReadingShell(Invocation invocation) {
        Script script = switch (invocation) {
            case Invocation.ShellText text -> ShellText.read(text.cmd(), Map.of());
            case Invocation.Program program -> ShellText.read(program.argv(), Map.of());
        };
        return script.commands().stream().anyMatch(SimpleCommand::isReadingShell);
    }

    /** The home folder is the server's, unless the caller sets another one. */
    private static Map<String, String> known(Set<String> env) {
        String home = System.getenv("HOME");
        return home == null || env.contains("HOME") ? Map.of() : Map.of("HOME", home);
    }
}
