package dev.holdfast.task;

import java.util.List;

/** What is run: text for a shell, or a program with its arguments. */
public sealed interface Invocation {
    /**
     * @param cmd shell text, at most 100 KiB
     * @param shell the shell's absolute path
     * @param login whether the shell reads its login files ({@code -lc}) or not ({@code -c})
     */
    record ShellText(String cmd, String shell, boolean login) implements Invocation {}

    /** @param argv program and arguments, at least one; the program is looked up in the command's own PATH */
    record Program(List<String> argv) implements Invocation {
        public Program {
            argv = List.copyOf(argv);
        }
    }

    /** As a person reads it: the shell text, or the arguments with a space between them. */
    default String text() {
        return switch (this) {
            case ShellText shell -> shell.cmd();
            case Program program -> String.join(" ", program.argv());
        };
    }
}
