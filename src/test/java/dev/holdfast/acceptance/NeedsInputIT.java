package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which programs wait for somebody to type, and what they ask. What a new machine may lack is played, see {@code
 * prompts/play.py}; the real one is asked too where it is there.
 */
class NeedsInputIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final String PLAY = "exec /usr/bin/env python3 " + resource("/prompts/play.py") + " ";
    private static final Duration LONG_BEFORE_ITS_WINDOW = Duration.ofSeconds(20);

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    private static Path resource(String name) {
        return Path.of(
                Objects.requireNonNull(NeedsInputIT.class.getResource(name)).getPath());
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            tty  | sleep 0.2; read -p 'Go on? ' x                           | Go on\\?
            tty  | read -e -p 'Go on? ' x                                   | Go on\\?
            tty  | read -t 600 -p 'Go on? ' x                               | Go on\\?
            tty  | echo Your name:; read x                                  | Your name:
            tty  | PS1='ask> ' exec bash --norc -i                          | ask>
            tty  | exec cat                                                 |
            tty  | exec python3 -q                                          | >>>
            tty  | exec python3 -c 'input("Name? ")'                        | Name\\?
            tty  | set -m; sleep 60 & read -p 'Go on? ' x                   | Go on\\?
            tty  | play ssh_password                                        | dev@host's password:
            tty  | play ssh_session 'dev@host:~$ '                          | dev@host:~\\$
            tty  | play su                                                  | Password:
            tty  | play apt                                                 | Do you want to continue\\? \\[Y/n]
            tty  | play git                                                 | Username for 'http://127.0.0.1:7999':
            tty  | play npm_init                                            | package name: \\(demo\\)
            tty  | play npx                                                 | Ok to proceed\\? \\(y\\)
            tty  | play dialog                                              | .*Really\\?.*
            tty  | play pager                                               | :
            tty  | play thread 'Name? '                                     | Name\\?
            tty  | play inside bash -c 'read -p "Inside? " x'               | Inside\\?
            pipe | sleep 0.2; read x                                        |
            pipe | echo Your name:; read x                                  | Your name:
            pipe | exec cat                                                 |
            pipe | exec python3 -c 'input("Name? ")'                        | Name\\?
            pipe | echo Some output; printf 'Password: ' >&2; read x        | Password:
            """)
    void asks(String where, String program, String prompt) {
        Answer waited = assertAsks(where, program.replace("play ", PLAY), prompt);
        assertThat(waited.text("/tasks/0/waiting")).isEqualTo("input");
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource
    void aRealOneAsks(String where, String program, String prompt) {
        assertAsks(where, program, prompt);
    }

    static Stream<Object[]> aRealOneAsks() {
        return Stream.of(
                        real(
                                "node -e 'require(`readline`).createInterface({input:process.stdin,output:process.stdout})"
                                        + ".question(`Name? `,()=>0)'",
                                "Name\\?"),
                        real("node", ">"),
                        real("npm init", "package name: .*"),
                        real("ssh-keygen -t ed25519", "Enter file in which to save the key .*:"),
                        real("su nobody -s /bin/sh -c 'exec su root'", "Password:"),
                        real("less /proc/self/status", ".*"),
                        real("more /proc/filesystems /proc/self/status", ".*More.*|.*"),
                        real("script -qc 'read -p \"Inside? \" x' /dev/null", "Inside\\?"),
                        real("dialog --yesno Really? 10 40", ".*Really\\?.*"),
                        real("whiptail --yesno Really? 10 40", ".*Really\\?.*"),
                        real("gdb -q", "\\(gdb\\)"),
                        real("vi", ".*"))
                .filter(row -> installed(row[1].toString()));
    }

    private static Object[] real(String program, String prompt) {
        return new Object[] {"tty", program, prompt};
    }

    private static boolean installed(String program) {
        String name = program.substring(0, (program + " ").indexOf(' '));
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /** @return of a wait for it; a real one may be up to something else when its task is looked at after that */
    private Answer assertAsks(String where, String program, String prompt) {
        Answer answer = http.run(
                program, where(where), true, "yield_time_ms", 30_000, "yield_when", Map.of("needs_input", true));

        String id = answer.promoted();
        assertThat(answer.text("/promoted_because")).as(answer.body()).isEqualTo("needs_input");
        assertThat(answer.took()).isLessThan(LONG_BEFORE_ITS_WINDOW);
        Answer waited = awaitInput(id, 30_000);
        assertThat(waited.at("/satisfied").toString()).isEqualTo("[0]");
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        if (prompt == null) {
            assertThat(answer.json().has("prompt")).isFalse();
            assertThat(waited.at("/matches")).isEmpty();
        } else {
            // What is printed on a terminal may come to the file after the program has begun to read.
            await().untilAsserted(() ->
                    assertThat(awaitInput(id, 30_000).text("/matches/0/text")).matches(prompt));
            assertThat(answer.json().path("prompt").asText()).matches(where.equals("pipe") ? prompt : "|" + prompt);
        }
        return waited;
    }

    private Answer awaitInput(String id, int timeoutMs) {
        Object condition = Json.object("task_id", id, "until", "needs_input");
        return http.post("/v1/wait", Json.object("any", new Object[] {condition}, "timeout_ms", timeoutMs));
    }

    private static String where(String where) {
        return where.equals("tty") ? "tty" : "accepts_input";
    }

    /** Last those that take all of a processor. */
    private static final String GO_ON = """
            tty  | printf 'compiling '; sleep 60; read x                    | compiling
            tty  | set -m; cat & printf 'working '; sleep 60                | working
            tty  | printf 'working '; sleep 60 | cat                        | working
            tty  | play ssh_session 'building on the host\\n'             | building
            tty  | play top                                                 | PID
            tty  | play htop                                                | Mem
            tty  | play clock                                               | quits
            tty  | play serve 'ready, press h + enter to show help\\n'    | ready
            tty  | play serve 'ready, press q to quit '                     | ready
            tty  | play watch                                               | Watching
            tty  | play thread 'ready, q quits\\n'                        | ready
            tty  | play inside sh -c 'printf "working "; sleep 60'          | working
            pipe | printf 'compiling '; sleep 60; read x                    | compiling
            pipe | python3 -u -c 'import socket, select; s = socket.create_server(("", 0)); print("up "); select.select([0, s], [], [])' | up
            tty  | printf 'compiling '; while :; do :; done                 | compiling
            tty  | (while :; do for i in {1..20000}; do :; done; echo x; done) & PLAYED pager | two
            """;

    /** Each is looked at for a while, all of them in the same. */
    @TestFactory
    Stream<DynamicTest> goesOnByItself() {
        Stream<Object[]> all = GO_ON.lines().map(row -> {
            int end = row.lastIndexOf('|');
            return new Object[] {
                row.substring(0, 4).strip(),
                row.substring(6, end).strip(),
                row.substring(end + 1).strip()
            };
        });
        return Stream.concat(realOnesThatGoOn(), all)
                .map(row -> goesOn(row[0].toString(), row[1].toString(), row[2].toString()))
                .toList()
                .stream();
    }

    private static Stream<Object[]> realOnesThatGoOn() {
        return Stream.of(
                        real("top", "PID"),
                        real("htop", "PID"),
                        real("watch -n 2 date", "date"),
                        real("tail -f /dev/null /etc/hostname", "hostname"),
                        real(
                                "node -e 'require(`http`).createServer().listen(0);require(`readline`)"
                                        + ".createInterface({input:process.stdin});console.log(`ready, press h`)'",
                                "ready"),
                        real(
                                "node -e 'require(`fs`).watch(`/tmp`);process.stdin.setRawMode(true);"
                                        + "process.stdin.resume();console.log(`watching`)'",
                                "watching"))
                .filter(row -> installed(row[1].toString()));
    }

    private DynamicTest goesOn(String where, String program, String printed) {
        String id = http.start(
                program.replace("play ", PLAY).replace("PLAYED ", PLAY.replace("exec ", "")), where(where), true);
        Object question = Json.object("task_id", id, "until", "needs_input");
        CompletableFuture<Answer> look = CompletableFuture.supplyAsync(
                () -> {
                    http.awaitOutput(id, printed);
                    return http.post("/v1/wait", Json.object("any", List.of(question), "timeout_ms", 1_200));
                },
                Thread::startVirtualThread);
        return DynamicTest.dynamicTest(where + ": " + program, () -> {
            assertThat(look.join().at("/timed_out").asBoolean())
                    .as(look.join().body())
                    .isTrue();
            assertThat(http.get("/v1/tasks/" + id + "?fresh=true").text("/waiting"))
                    .isIn("idle", "busy");
        });
    }

    /** The second comes while the first is still what was told last. */
    @Test
    void eachQuestionIsAnEvent() throws Exception {
        String id = http.start("read -p 'First? ' x; read -p 'Second? ' x; sleep 60", "tty", true);
        try (EventStream one = EventStream.open(SERVER, "/v1/tasks/" + id + "/events");
                EventStream all = EventStream.open(SERVER, "/v1/events")) {
            one.await("first", event -> event.text("prompt").equals("First?"));
            http.input(id, "text", "yes\n").hasStatus(200);
            one.await("second", event -> event.text("prompt").equals("Second?"));
            all.await("second", event -> event.text("prompt").equals("Second?"));
            http.input(id, "text", "yes\n").hasStatus(200);
            one.await("over", event -> event.text("waiting").equals("idle"));
            assertThat(one.events().stream().map(event -> event.text("prompt")).filter(prompt -> !prompt.isEmpty()))
                    .containsExactly("First?", "Second?");
        }
        await().until(() -> !http.task(id).path("waiting").asText().equals("input"));
    }
}
