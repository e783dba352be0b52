package dev.holdfast.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Every setting of Holdfast. As an environment variable, {@code holdfast.data-dir} is {@code HOLDFAST_DATA_DIR}. */
@ConfigMapping(prefix = "holdfast")
public interface HoldfastConfig {
    /** The folder that holds the database, the task folders and the token; made with mode 0700. */
    @WithDefault("${HOME:${user.home}}/.holdfast")
    Path dataDir();

    /**
     * Where a command without `workdir` runs, and what a relative `workdir` starts from; unset: the server's working
     * directory.
     */
    Optional<Path> workspace();

    /**
     * The bearer token that every request but health must carry; unset: made at the first start, in `<data-dir>/token`.
     */
    Optional<String> token();

    /** What becomes of running tasks when the server is stopped: `leave` them running, or `stop` them. */
    @WithDefault("leave")
    Shutdown shutdown();

    Policy policy();

    Approvals approvals();

    Tokens tokens();

    Sandbox sandbox();

    Env env();

    Limits limits();

    Output output();

    Disk disk();

    Retention retention();

    Http http();

    Keeper keeper();

    Mcp mcp();

    Tools tools();

    /** What a stopping server does with running tasks. */
    enum Shutdown {
        LEAVE,
        STOP
    }

    /** What may run. */
    interface Policy {
        /** The files with the rules, of which the strictest counts; unset: `<data-dir>/policy.yaml` if it is there. */
        Optional<List<Path>> file();
    }

    /** What a person is asked. */
    interface Approvals {
        /** How long an answer is waited for; then what was asked is expired, and does not start. */
        @WithDefault("24h")
        @WithConverter(Amount.Time.class)
        Duration expire();
    }

    /** Who may call besides the operator. */
    interface Tokens {
        /**
         * The file with the tokens of agents, observers and further operators; unset: `<data-dir>/tokens.yaml` if it is
         * there.
         */
        Optional<Path> file();
    }

    /** Walls around commands. */
    interface Sandbox {
        /** The wall of a command that names none: `none`, `read_only` or `workspace_write`. */
        @WithName("default")
        @WithDefault("none")
        Wall standard();
    }

    /** What a command may write behind its wall. */
    enum Wall {
        NONE,
        READ_ONLY,
        WORKSPACE_WRITE
    }

    /** The environment commands start from. */
    interface Env {
        /**
         * What of the server's own environment a command gets: `filtered` (all but names that look like secrets),
         * `core` (PATH, HOME and the like) or `all`. Variables whose
         * names a shell cannot have (`a.b`) are lost.
         */
        @WithDefault("filtered")
        Inherit inherit();
    }

    /** Which of the server's own variables commands get. */
    enum Inherit {
        FILTERED,
        CORE,
        ALL
    }

    /** What is refused. */
    interface Limits {
        /** How many commands may run at once; one more is refused, and nothing is killed to make room. */
        @WithDefault("256")
        @WithConverter(Amount.Whole.class)
        long running();

        /** The largest request body, in bytes. */
        @WithDefault("33554432")
        @WithConverter(Amount.Whole.class)
        long body();

        /**
         * How many bytes request bodies may hold together; one that would hold more than it leaves to the others is
         * refused, and can be sent again later.
         */
        @WithDefault("67108864")
        @WithConverter(Amount.Whole.class)
        long bodies();
    }

    /** What a task's output may cost. */
    interface Output {
        /**
         * How many bytes of each stream are kept, at least 65536; beyond it the middle is dropped, head and tail stay.
         * A flood holds besides what it writes in 75 ms and while that is dropped, a tenth of a second in all.
         */
        @WithDefault("67108864")
        @WithConverter(Amount.Whole.class)
        long maxBytes();
    }

    /** What the data folder may cost. */
    interface Disk {
        /**
         * Free space, in bytes, below which new commands are refused, and the running one whose output grows most is
         * paused.
         */
        @WithDefault("268435456")
        @WithConverter(Amount.Whole.class)
        long floor();
    }

    /** How long ended tasks are kept; a running one is never touched. */
    interface Retention {
        /** The age at which an ended task is forgotten. */
        @WithDefault("7d")
        @WithConverter(Amount.Time.class)
        Duration age();

        /** How many ended tasks are kept, the newest. */
        @WithDefault("10000")
        @WithConverter(Amount.Whole.class)
        long count();

        /** How many bytes of output ended tasks may hold together. */
        @WithDefault("10737418240")
        @WithConverter(Amount.Whole.class)
        long bytes();
    }

    /** Who may call. */
    interface Http {
        /**
         * Host names that requests may be addressed to besides the loopback ones; the `Host` header is checked against
         * DNS rebinding.
         */
        Optional<List<String>> allowedHosts();

        /**
         * Web origins whose pages may call, such as `http://localhost:3000`; a request with any other `Origin` is
         * refused.
         */
        Optional<List<String>> allowedOrigins();
    }

    /** The process that holds terminals. */
    interface Keeper {
        /** How long it stays when it holds no terminal and nobody is connected. */
        @WithDefault("1m")
        @WithConverter(Amount.Time.class)
        Duration idle();
    }

    /** The tools over MCP. */
    interface Mcp {
        /** How long a call may wait whose client did not ask for progress; clients give up after a minute. */
        @WithDefault("55s")
        @WithConverter(Amount.Time.class)
        Duration longestWait();
    }

    /** The tools of other designs. */
    interface Tools {
        Bash bash();
    }

    /** The tool `bash` of the profile `classic`. */
    interface Bash {
        /**
         * Whose `bash` it is: `plain` (an agent tutorial's), `labelled` (an agent library's) or `sections` (a
         * gateway's); sets its text, the time that a command has when it names none, and its limits.
         */
        @WithDefault("plain")
        Dialect dialect();

        /** With `labelled`: what a command must not contain, looked for as it stands; empty: anything may. */
        @WithDefault("rm -rf /,rm -rf /*,mkfs,dd if=,:(){")
        Optional<List<String>> deny();

        /** With `labelled`: the variables that a command gets besides PATH, HOME and PWD; unset: as any command. */
        Optional<List<String>> env();
    }

    /** The designs that have a tool named bash. */
    enum Dialect {
        PLAIN,
        LABELLED,
        SECTIONS
    }
}
