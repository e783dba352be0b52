package dev.holdfast.kill;

import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.Json;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A command, and all that is known of it before it starts.
 *
 * @param name its label, its key, and the file in which it notes that it ran
 * @param out what it prints, a character for each byte
 * @param end what ends it, and its exit code or signal
 */
record Plan(Kind kind, String name, Map<String, @Nullable Object> body, String out, String end) {
    /** How many lines are typed. */
    static final int TYPED = 20;

    /** Goes on when its file is there. */
    private static final String WAIT = "until [ -e $NAME.go ]; do sleep 0.2; done; ";
    /** Notes each line, and answers once what comes twice in a row: input that got no answer is typed again. */
    private static final String READ = "while read -r line; do printf x >> $NAME.read;"
            + " [ \"$line\" = \"$last\" ] || echo $line; last=$line; done; exit 6";

    /** What something is done with while it runs. */
    private static final Set<Kind> TASKS = EnumSet.range(Kind.ASKED, Kind.FOLLOWED);

    private static final List<Integer> WINDOWS = List.of(0, 50, 300, 2000, 10_000);

    /** The commands that callers ask for. */
    enum Kind {
        LINES,
        BOTH,
        SLOW,
        PIPELINE,
        VARIABLE,
        LONG_LINE,
        BYTES,
        FLOOD,
        KILLED,
        TIMEOUT,
        SILENCE,
        CHILDREN,
        LEAVES,
        TERMINAL,
        TWINS,
        BATCH,
        ASKED,
        FORGOTTEN,
        SIGNALLED,
        STOPPED,
        DEAF,
        TYPED,
        INPUT,
        AWAITED,
        FOLLOWED
    }

    /** The same for the same seed. */
    static Plan of(Kind kind, int round, long seed) {
        String name = kind.name().toLowerCase(Locale.ROOT) + "-" + round;
        Random random = new Random(seed + name.hashCode());
        int n = 1 + random.nextInt(2000);
        Plan plan = of(kind, name, n);
        int window = TASKS.contains(kind) ? 0 : WINDOWS.get(random.nextInt(WINDOWS.size()));
        plan.body.putAll(Json.object("yield_time_ms", window, "labels", Map.of("plan", name)));
        return plan;
    }

    private static Plan of(Kind kind, String name, int n) {
        Plan plan = new Plan(kind, name, Map.of(), "", "");
        return switch (kind) {
            case LINES -> plan.runs("seq " + n + "; exit " + n % 256, lines(n), "exit " + n % 256);
            case BOTH -> plan.runs("for i in $(seq 200); do echo $i; echo $i >&2; done", lines(200), "exit 0");
            case SLOW -> plan.runs("for i in $(seq 30); do echo $i; sleep 0.1; done", lines(30), "exit 0");
            case PIPELINE -> plan.runs("seq " + n + " | sort -rn | head -n 1; exit 130", n + "\n", "exit 130");
            case VARIABLE -> plan.runs("echo $WORD", "w" + n + "\n", "exit 0", "env", Map.of("WORD", "w" + n));
            case LONG_LINE -> plan.runs("yes | head -c " + n * 300 + " | tr -d '\\n'", "y".repeat(n * 150), "exit 0");
            case BYTES ->
                plan.runs(
                        "yes $'\\377\\r\\200' | head -n 99; printf '\\0'", "\377\r\200\n".repeat(99) + "\0", "exit 0");
            case FLOOD -> plan.runs("seq 300000; exit 4", lines(300_000), "exit 4");
            case KILLED -> plan.runs("echo b; sleep 0." + n + "; kill -KILL $$", "b\n", "signal SIGKILL");
            case TIMEOUT -> plan.runs("echo b; exec sleep 600", "b\n", "timeout SIGTERM", "timeout_ms", 3000);
            case SILENCE -> plan.runs("echo b; exec sleep 600", "b\n", "idle_timeout SIGTERM", "idle_timeout_ms", 3000);
            case CHILDREN ->
                plan.runs("sleep 600 & setsid sleep 600 & echo b; exit 9", "b\n", "exit 9", "on_exit", "stop");
            case LEAVES -> plan.runs("sleep 600 & echo b", "b\n", "exit 0");
            case TERMINAL ->
                plan.runs("seq 300; sleep 0.5; exit 2", lines(300).replace("\n", "\r\n"), "exit 2", "tty", true);
            case TWINS -> plan.runs(WAIT + "echo b; exit 2", "b\n", "exit 2");
            case BATCH -> plan.runs("true", "", "exit 0");
            case ASKED -> plan.runs("false && curl -s http://127.0.0.1:9/ | sh; echo b; exit 8", "b\n", "exit 8");
            case FORGOTTEN -> plan.runs("echo b", "b\n", "exit 0");
            case SIGNALLED -> plan.runs("echo b; exec sleep 600", "b\n", "signal SIGHUP");
            case STOPPED -> plan.runs("trap 'echo bye; exit 5' TERM; echo b; sleep 600 & wait", "b\nbye\n", "stop 5");
            case DEAF -> plan.runs("trap '' TERM; echo b; while :; do sleep 0.1; done", "b\n", "stop SIGKILL");
            case TYPED -> plan.runs("stty -echo; " + READ, lines(TYPED).replace("\n", "\r\n"), "exit 6", "tty", true);
            case INPUT -> plan.runs(READ, lines(TYPED), "exit 6", "accepts_input", true);
            case AWAITED -> plan.runs("seq " + n + "; " + WAIT + "exit 7", lines(n), "exit 7");
            case FOLLOWED ->
                plan.runs("for i in $(seq 40); do echo $i; echo $i >&2; sleep 0.05; done", lines(40), "exit 0");
        };
    }

    private Plan runs(String cmd, String prints, String ends, @Nullable Object... more) {
        return new Plan(
                kind, name, Calls.command("NAME=" + name + "; printf r >> $NAME.ran; " + cmd, more), prints, ends);
    }

    private static String lines(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    String err() {
        return kind == Kind.BOTH || kind == Kind.FOLLOWED ? out : "";
    }

    String printed(String stream) {
        return stream.equals("stdout") ? out : err();
    }

    /** Who asks for it at the same moment, each by a key of its own. */
    List<String> keys() {
        return kind == Kind.TWINS ? List.of(name, name + "-twin", name + "-third") : List.of(name);
    }

    String status() {
        return end.startsWith("stop ") ? "cancelled" : end.equals("exit 0") ? "completed" : "failed";
    }

    /** Whether what is told as text has all of it as it is. */
    boolean isText() {
        return kind != Kind.BYTES && out.length() < 30_000;
    }
}
