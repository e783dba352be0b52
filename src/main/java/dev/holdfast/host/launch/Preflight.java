package dev.holdfast.host.launch;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Invocation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks, before anything is made, whether a command can be spawned: the launcher could only tell when it is too late,
 * and then as an exit code.
 */
public final class Preflight {
    /** What {@code execvp} and dash search without PATH. */
    private static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    /** The kernel's limit for one argument or variable with its end, MAX_ARG_STRLEN. */
    private static final int LONGEST = 128 * 1024;

    private static final int FIRST_LINE = 256;

    private static final String TOO_LONG = "Write the long part to a file and pass the file's name.";

    private Preflight() {}

    /** @throws Refusal {@code command_spawn_failed}, or {@code workdir_not_found} when it vanished */
    public static void check(Launch launch) {
        Path workdir = launch.command().workdir();
        if (!Files.isDirectory(workdir)) {
            throw new Refusal(
                    ErrorKind.WORKDIR_NOT_FOUND,
                    "The working directory " + workdir + " does not exist or is no directory",
                    "Make the directory first, or give another workdir.",
                    Map.of("workdir", workdir.toString()));
        }
        List<String> argv = Launcher.command(launch.command().invocation());
        argv.forEach(argument -> checkText("an argument", argument));
        launch.environment().forEach((name, value) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw failed("A variable cannot be named \"" + name + "\"", "Correct the names in env.");
            }
            checkText("the variable " + name, name + "=" + value);
        });
        switch (launch.command().invocation()) {
            case Invocation.ShellText text -> checkShell(text.shell(), workdir);
            case Invocation.Program _ -> checkProgram(argv.getFirst(), workdir, launch.environment());
        }
        if (!Files.isExecutable(Launcher.SHELL)) {
            throw failed(
                    Launcher.SHELL + ", which starts every command, is missing or not executable",
                    "Install a POSIX shell as " + Launcher.SHELL + " on the server's machine.");
        }
    }

    /** What a failed spawn is to its caller. */
    public static Refusal refusal(ErrnoException e, Launch launch) {
        return lack(e).orElseGet(() -> e.errno() == ErrnoException.E2BIG
                ? failed("The command line and its environment are too long for the kernel", TOO_LONG, e)
                : failed(
                        "The command could not be spawned in "
                                + launch.command().workdir() + ": " + e.getMessage(),
                        "Check that the working directory is still there and that the server may enter it.",
                        e));
    }

    /** What it is to its caller that its folder could not be made in {@code tasks}. */
    public static Refusal unrecorded(ErrnoException e, Path tasks) {
        return lack(e).orElseGet(() -> failed(
                "The command could not be put on record in " + tasks + ": " + e.getMessage(),
                "Make that folder again and let the server's user write it, or start the server anew, which makes it.",
                e));
    }

    /** The same where the machine lacks something, whatever was to be spawned; empty where it does not. */
    public static Optional<Refusal> lack(ErrnoException e) {
        return switch (e.errno()) {
            case ErrnoException.ENOSPC,
                    ErrnoException.EDQUOT,
                    ErrnoException.EROFS,
                    ErrnoException.EIO,
                    ErrnoException.EFBIG -> Optional.of(noRoom(String.valueOf(e.getMessage())));
            case ErrnoException.EAGAIN, ErrnoException.ENOMEM, ErrnoException.EMFILE, ErrnoException.ENFILE ->
                Optional.of(failed(
                        "The machine takes no further process: " + ErrnoException.text(e.errno()),
                        Remedy.of(
                                ErrnoException.text(e.errno()),
                                "Stop tasks that are no longer needed, then try again."),
                        e));
            default -> Optional.empty();
        };
    }

    static Refusal noRoom(String why) {
        return new Refusal(
                ErrorKind.STORAGE_FULL,
                "There is no room in the data folder for another command: " + why,
                Remedy.of(
                        why,
                        "Free space and inodes on the server's disk (delete ended tasks), or make it writable again."));
    }

    static Refusal failed(String message, String hint) {
        return new Refusal(ErrorKind.COMMAND_SPAWN_FAILED, message, hint);
    }

    private static Refusal failed(String message, String hint, ErrnoException cause) {
        return new Refusal(ErrorKind.COMMAND_SPAWN_FAILED, message, hint, Map.of("errno", cause.errno()));
    }

    private static void checkText(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw failed("There is a NUL character in " + what, "Remove it: no program can be given one.");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw failed("There is half a character (a lone surrogate) in " + what, "Send whole characters.");
        }
        // At most 3 bytes for a char: most texts need no counting.
        if (text.length() >= LONGEST / 3 && text.getBytes(StandardCharsets.UTF_8).length >= LONGEST) {
            throw failed("There are 128 KiB or more in " + what, TOO_LONG);
        }
    }

    private static void checkShell(String shell, Path workdir) {
        Path path = workdir.resolve(shell);
        if (!runnable(path)) {
            throw failed(
                    "The shell " + shell + " " + problem(path),
                    "Leave shell out for the default, or name one that is installed, such as /bin/sh.");
        }
        checkFormat(path, workdir);
    }

    private static void checkProgram(String program, Path workdir, Map<String, String> environment) {
        if (program.indexOf('/') >= 0) {
            Path path = workdir.resolve(program);
            if (!runnable(path)) {
                throw failed("The program " + named(program) + " " + problem(path), hint(path));
            }
            checkFormat(path, workdir);
            return;
        }
        String path = environment.getOrDefault("PATH", DEFAULT_PATH);
        Path unusable = null;
        Optional<Refusal> unfit = Optional.empty();
        for (String directory : path.split(":", -1)) {
            Path candidate = workdir.resolve(directory).resolve(program);
            if (!program.isEmpty() && runnable(candidate)) {
                Optional<Refusal> problem = formatProblem(candidate, workdir);
                if (problem.isEmpty()) {
                    return;
                }
                unfit = unfit.or(() -> problem); // a shell looks on in the folders after it
            } else {
                unusable = Files.isRegularFile(candidate) ? candidate : unusable;
            }
        }
        if (unfit.isPresent()) {
            throw unfit.get();
        }
        if (unusable != null) {
            throw failed("The program " + unusable + " " + problem(unusable), hint(unusable));
        }
        throw failed(
                "The program \"" + named(program) + "\" is not in the command's PATH (" + path + ")",
                "Check the spelling, install it, or give its path; for shell text use cmd instead of argv.");
    }

    /** Without what may be a secret, where arguments or a variable were sent as a part of it. */
    private static String named(String program) {
        int end = 0;
        while (end < program.length()
                && !Character.isWhitespace(program.charAt(end))
                && program.charAt(end) != '='
                && !program.startsWith("://", end)) {
            end++;
        }
        return end == program.length() ? program : program.substring(0, end + 1) + "…";
    }

    private static void checkFormat(Path program, Path workdir) {
        Optional<Refusal> problem = formatProblem(program, workdir);
        if (problem.isPresent()) {
            throw problem.get();
        }
    }

    /**
     * Why the kernel would not run a file that is executable: it says of one whose interpreter is missing what it says
     * of one that is not there.
     */
    private static Optional<Refusal> formatProblem(Path program, Path workdir) {
        String line = firstLine(program);
        if (line.startsWith("#!")) {
            return interpreterProblem(program, line, workdir);
        }
        if (line.startsWith(ElfFile.MAGIC)) {
            return ElfFile.read(program).flatMap(elf -> elfProblem(program, elf, workdir));
        }
        // Shells take for a script of theirs what has none there.
        return line.indexOf('\0') < 0 || ElfFile.othersMayRun()
                ? Optional.empty()
                : Optional.of(failed(
                        "The program " + program + " is a binary file in no format that this machine runs",
                        "Get it for Linux, or give the program that runs such files, with this one as its argument."));
    }

    private static Optional<Refusal> elfProblem(Path program, ElfFile elf, Path workdir) {
        if (!elf.own()) {
            return ElfFile.othersMayRun()
                    ? Optional.empty()
                    : Optional.of(failed(
                            "The program " + program + " is for another kind of machine",
                            "Get or build it for this one (uname -m says what it is)."));
        }
        if (!elf.whole()) {
            return Optional.of(failed(
                    "The program " + program + " is none that can be run: an object file, or one that is cut off",
                    "Link it, or get it again."));
        }
        Path loader = workdir.resolve(elf.loader());
        return elf.loader().isEmpty() || runnable(loader)
                ? Optional.empty()
                : Optional.of(failed(
                        "The program " + program + " has an interpreter, " + loader + ", that " + problem(loader),
                        "Install it (it comes with the C library that the program is for), or get or build the program"
                                + " for this machine's."));
    }

    private static Optional<Refusal> interpreterProblem(Path program, String line, Path workdir) {
        String interpreter = line.substring(2).replaceFirst("^[ \t]+", "").split("[ \t\0]", 2)[0];
        Path path = workdir.resolve(interpreter);
        if (interpreter.isEmpty() || runnable(path)) {
            return Optional.empty();
        }
        boolean windows = interpreter.endsWith("\r");
        return Optional.of(failed(
                "The program " + program + " has an interpreter, " + interpreter.strip() + ", that "
                        + (windows ? "cannot be found: its lines end with CR LF" : problem(path)),
                windows
                        ? "Take the carriage returns out: sed -i 's/\\r$//' " + program
                        : "Install it, or correct the script's first line."));
    }

    /** Of what the kernel looks at, BINPRM_BUF_SIZE; empty where it cannot be read. */
    private static String firstLine(Path program) {
        try (InputStream in = Files.newInputStream(program)) {
            String head = new String(in.readNBytes(FIRST_LINE), StandardCharsets.UTF_8);
            int end = head.indexOf('\n');
            return end < 0 ? head : head.substring(0, end);
        } catch (IOException unreadable) {
            return "";
        }
    }

    private static boolean runnable(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path); // execve(2) takes no other, EACCES
    }

    private static String problem(Path path) {
        if (Files.isDirectory(path)) {
            return "is a directory";
        }
        if (!Files.isRegularFile(path)) {
            return Files.exists(path) ? "is not a regular file" : "does not exist";
        }
        return "is not executable";
    }

    private static String hint(Path path) {
        if (Files.isDirectory(path)) {
            return "Name the program in it.";
        }
        return Files.isRegularFile(path)
                ? "Make it executable (chmod +x), or give its interpreter as the program."
                : "Check the path; a relative one starts from the workdir.";
    }
}
