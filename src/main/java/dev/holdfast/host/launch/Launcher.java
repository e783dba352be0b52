package dev.holdfast.host.launch;

import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Sandbox;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The small fixed {@code sh} program that stands between the kernel and a command: it starts the command as its child
 * in the foreground and puts its exit into {@code rc}. It survives every signal but KILL, of which the command inherits
 * nothing ({@code trap :} is reset in children, {@code trap ''} would not be). Its {@code $0} is the task's folder.
 *
 * <p>Descriptors it is given: 0, 1 the command's; 3 what becomes the command's 2; with input, 4 the write end of
 * {@code in} and 5 {@code eof}; 8 {@code rc}. That becomes its 2, where its shell notes a death by signal too, once
 * nothing else is said there any more: the loader warns before it begins. In a terminal it is given 0, 1, 2 and makes
 * the others itself. Behind a wall it uses 6 for its own output and 7 for a pipe from the launcher in there.
 */
public final class Launcher {
    public static final Path SHELL = Path.of("/bin/sh");
    /** In the environment of every process of a task; its value is the task's id. */
    public static final String MARKER = "HOLDFAST_TASK";

    /** By its path: the command's PATH need not lead to it. */
    private static final String ENV = "/usr/bin/env";

    private static final String ENCODED = "HOLDFAST_ENV_";
    /**
     * Variables that change a launcher, or that it changes: its own two, what a POSIX shell or bash sets, and what the
     * loader heeds.
     */
    private static final Pattern HEEDED =
            Pattern.compile("[sw]|IFS|PPID|LINENO|RANDOM|OPT(IND|ARG|ERR)|SHELLOPTS|BASH.*|LD_.*|GLIBC_TUNABLES");
    /** So are these, but nearly every server has them: where no caller names them they are as the shell leaves them. */
    private static final Set<String> HEEDED_IF_NAMED = Set.of("PWD", "OLDPWD", "SHLVL", "_", "PS1", "PS2", "PS4");

    private static final String RC = "exec 2>&8 8>&-\n";
    private static final String TRAPS = "trap : 1 2 3 10 12 14 15\n";
    /** What the keeper sends where the output is larger than a file may be. */
    private static final String TRAP_IN_TERMINAL = "trap : 25\n";
    /** A shell that gets no process ends with 2 (dash, busybox) or 254 (bash): a command that could not be run. */
    private static final String NOT_STARTED = """
            trap 'case $? in 2|254) echo "not started: a limit of processes is reached" >&3; echo "exit 126" >&2;; esac' 0
            """;

    private static final String RECORD = "echo \"exit $r\" >&2";
    /** A terminal that was hung up is none any more: how a command ends that lost it says nothing of the command. */
    private static final String RECORD_IN_TERMINAL = "[ -t 0 ] && echo \"exit $r\" >&2 || echo lost >&2";
    /** A terminal's launcher is no child of the server, which learns from this line who it is. */
    private static final String TERMINAL = """
            exec 3>&2 2<>"$0/rc"
            read -r s </proc/self/stat
            echo "$s" >"$0/pid"
            """;
    /** Whom nobody can find runs nothing: a full disk, say. */
    private static final String UNKNOWN = "[ $? = 0 ] || { echo \"exit 126\" >&2; exit; }\n";
    /** Keeps the write end of stdin open until a line comes through eof: then the command reads its end. */
    private static final String HOLDER = """
            (trap '' 1 2 3 10 12 14 15; read -r x) <&5 >&- 2>&- 3>&- 5>&- &
            exec 4>&-
            """;

    private static final String RELEASE_HOLDER = "echo >&5\n";

    private static final Pattern WALL = Pattern.compile("\nw=([a-z_+]+)\n");
    private static final String BEHIND_WALL = "exec 3>&2 2>&7 7>&-\necho up >&2\n";

    private static final byte[] START = (SHELL + "\0-c\0").getBytes(StandardCharsets.US_ASCII);
    /** Shell, {@code -c}, script, folder. */
    private static final int BEFORE_COMMAND = 4;

    private static final Set<String> SHELL_OPTIONS = Set.of("-c", "-lc");
    /** Those that know {@code --} between {@code -c} and the text; others take what follows {@code -c} for the text. */
    private static final Pattern KNOWS_END_OF_OPTIONS = Pattern.compile("(.*/)?r?(sh|bash|dash|ash|zsh|ksh|mksh)");

    private static final String END_OF_OPTIONS = "--";
    private static final Pattern END = Pattern.compile("\0");

    private Launcher() {}

    /**
     * What is to be started.
     *
     * @param argv of {@link #SHELL}
     * @param environment all of it
     */
    public record Plan(List<String> argv, Map<String, String> environment) {}

    /**
     * What makes a wall around whatever follows it.
     *
     * @param program with its arguments
     */
    public record Wall(Sandbox sandbox, List<String> program) {}

    /** @param wall null for none */
    public static Plan plan(Launch launch, TaskFolder folder, @Nullable Wall wall) {
        Map<String, String> passed = new HashMap<>(launch.environment());
        passed.put(MARKER, launch.id().value());
        String become = encode(passed, launch.command().envKeys());
        List<String> argv = new ArrayList<>();
        argv.add(SHELL.toString());
        argv.add("-c");
        argv.add(script(launch.command(), become, wall));
        argv.add(folder.path().toString());
        argv.addAll(command(launch.command().invocation()));
        return new Plan(argv, passed);
    }

    /** The command's own argv. */
    static List<String> command(Invocation invocation) {
        return switch (invocation) {
            case Invocation.ShellText(String cmd, String shell, boolean login) -> {
                String option = login ? "-lc" : "-c";
                boolean looksLikeOption = cmd.startsWith("-") || cmd.startsWith("+");
                yield looksLikeOption && KNOWS_END_OF_OPTIONS.matcher(shell).matches()
                        ? List.of(shell, option, END_OF_OPTIONS, cmd)
                        : List.of(shell, option, cmd);
            }
            case Invocation.Program program -> program.argv();
        };
    }

    /**
     * What a launcher was given to run, by its own command line. Shell text cannot be told from a program that was
     * asked for with the same arguments; it is taken for what it nearly always is.
     *
     * @param cmdline of a process whose {@link #isOwn} holds
     */
    public static Invocation invocation(byte[] cmdline) {
        List<String> argv = arguments(cmdline);
        return given(argv.subList(Math.min(BEFORE_COMMAND, argv.size() - 1), argv.size()));
    }

    /** The task's folder where it was started, by the command line of a launcher. */
    public static Path folder(byte[] cmdline) {
        return Path.of(arguments(cmdline).get(BEFORE_COMMAND - 1));
    }

    /** What argv such as {@link #command} makes stands for. */
    public static Invocation given(List<String> argv) {
        boolean ended = argv.size() == 4 && argv.get(2).equals(END_OF_OPTIONS);
        boolean shell =
                (argv.size() == 3 || ended) && argv.getFirst().startsWith("/") && SHELL_OPTIONS.contains(argv.get(1));
        return shell
                ? new Invocation.ShellText(
                        argv.getLast(), argv.getFirst(), argv.get(1).equals("-lc"))
                : new Invocation.Program(argv);
    }

    /** At least one, perhaps empty. */
    public static List<String> arguments(byte[] cmdline) {
        String text = new String(cmdline, StandardCharsets.UTF_8);
        return List.of(END.split(text.endsWith("\0") ? text.substring(0, text.length() - 1) : text, -1));
    }

    /** Whether a launcher, by its command line, runs its command in a terminal. */
    public static boolean inTerminal(byte[] cmdline) {
        return startsWith(cmdline, START.length, TERMINAL);
    }

    /**
     * Whether a command line ({@code /proc/[pid]/cmdline}) is a launcher's own: the launcher, the holder of a stdin, or
     * a command that was not replaced by its program yet.
     */
    public static boolean isOwn(byte[] cmdline) {
        return Arrays.mismatch(cmdline, START) == START.length
                && (startsWith(cmdline, START.length, TRAPS) || startsWith(cmdline, START.length, TERMINAL));
    }

    /** Whether a command line is that of a wall, whose arguments hold the launcher behind it. */
    public static boolean isWall(byte[] cmdline) {
        String text = new String(cmdline, StandardCharsets.ISO_8859_1);
        return text.indexOf("\0" + new String(START, StandardCharsets.US_ASCII) + TRAPS) > 0;
    }

    /** The wall of a launcher's command, by its own command line; null for none. */
    public static @Nullable Sandbox wall(byte[] cmdline) {
        Matcher wall = WALL.matcher(new String(cmdline, StandardCharsets.ISO_8859_1));
        return isOwn(cmdline) && wall.find() ? Sandbox.parse(wall.group(1)) : null;
    }

    private static boolean startsWith(byte[] bytes, int from, String text) {
        byte[] start = text.getBytes(StandardCharsets.US_ASCII);
        return bytes.length >= from + start.length
                && Arrays.equals(bytes, from, from + start.length, start, 0, start.length);
    }

    private static String script(CommandSpec spec, String become, @Nullable Wall wall) {
        boolean terminal = spec.tty();
        boolean input = spec.acceptsInput() && !terminal;
        String stdin = input ? "<\"$0/in\" " : terminal && !spec.acceptsInput() ? "</dev/null " : "";
        String redirect = stdin + "2>&3 3>&-" + (input ? " 5>&-" : "");
        // Without stderr, for a system where the score cannot be written; what the kernel kills first is the command.
        String command = "(echo 500 2>&- >/proc/self/oom_score_adj; " + become + " " + redirect + ")\n";
        String record = terminal ? RECORD_IN_TERMINAL : RECORD;
        String run = command + "r=$?; " + record + "\n";
        String traps = TRAPS + (terminal ? TRAP_IN_TERMINAL : "");
        return (terminal ? TERMINAL + UNKNOWN : "")
                + traps
                + (terminal ? "" : RC)
                + NOT_STARTED
                + (input ? HOLDER : "")
                + (wall == null ? run : walled(wall, traps + BEHIND_WALL + NOT_STARTED + run, record))
                + (input ? RELEASE_HOLDER : "");
    }

    /**
     * Bubblewrap in place of the command, and behind it a launcher of its own, whose record comes through a pipe. What
     * bubblewrap itself is sent or dies of says nothing then. Without a word through the pipe there was no wall, and
     * bubblewrap's end is the command's: by a signal, noted as a shell would; or 126 stands for a command that could
     * not be run, and bubblewrap has said why where the command's errors go.
     *
     * @param record what puts down $r
     */
    private static String walled(Wall wall, String behind, String record) {
        String program = wall.program().stream().map(Launcher::quoted).collect(Collectors.joining(" "));
        return String.format(Locale.ROOT, """
                w=%s
                { r=$(exec %s %s -c %s "$0" "$@" 7>&1 >&6 2>&3 3>&- 5>&- 6>&-); } 6>&1 2>/dev/null
                e=$?
                case $r in
                up*) r=${r#up}; [ -z "$r" ] || echo "$r" >&2;;
                *) r=126; [ $e -le 128 ] || { r=$e; echo signal >&2; }; %s;;
                esac
                """, wall.sandbox(), program, SHELL, quoted(behind), record);
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /**
     * Hides variables that a shell would drop, heed or change behind names of which it knows nothing.
     *
     * @param named what the caller set or unset
     * @return shell text that becomes the command, with those as they were, as arguments of env(1)
     */
    private static String encode(Map<String, String> environment, List<String> named) {
        List<String> hidden = environment.keySet().stream()
                .filter(name -> !isShellName(name)
                        || HEEDED.matcher(name).matches()
                        || (HEEDED_IF_NAMED.contains(name) && named.contains(name)))
                .toList();
        List<String> variables = hidden.stream()
                .map(name -> name + "=" + environment.remove(name))
                .toList();
        StringBuilder set = new StringBuilder();
        StringBuilder unset = new StringBuilder();
        int number = 0;
        for (String variable : variables) {
            while (environment.putIfAbsent(ENCODED + number, variable) != null) {
                number++; // its own, or one of the caller's
            }
            set.append(" \"$").append(ENCODED).append(number).append('"');
            unset.append(' ').append(ENCODED).append(number);
        }
        named.stream()
                .filter(name -> HEEDED_IF_NAMED.contains(name) && !hidden.contains(name))
                .forEach(name -> unset.append(' ').append(name));
        return (hidden.isEmpty() ? "" : "set --" + set + " \"$@\"; ")
                + (unset.isEmpty() ? "" : "unset" + unset + "; ")
                + (hidden.isEmpty() ? "exec \"$@\"" : "exec " + ENV + " -- \"$@\"");
    }

    /** Letters, digits and underscores of ASCII, no digit first: shells drop variables with other names. */
    private static boolean isShellName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
            if (!letter && (i == 0 || c < '0' || c > '9')) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}
