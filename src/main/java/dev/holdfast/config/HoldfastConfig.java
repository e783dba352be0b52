package dev.holdfast.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Every setting of Holdfast. As an environment variable, {@code holdfast.data-dir} is {@code HOLDFAST_DATA_DIR}. */
@ConfigMapping(prefix = "holdfast")
public interface HoldfastConfig {
    /** The folder that holds the database, the task folders and the token; made with mode 0700. */
    @WithDefault("${user.home}/.holdfast")
    Path dataDir();

    /** Where a command without `workdir` runs, and what a relative `workdir` starts from; unset: the server's working directory. */
    Optional<Path> workspace();

    /** The bearer token that every request but health must carry; unset: made at the first start, in `<data-dir>/token`. */
    Optional<String> token();

    /** What becomes of running tasks when the server is stopped: `leave` them running, or `stop` them. */
    @WithDefault("leave")
    Shutdown shutdown();

    Env env();

    Limits limits();

    Output output();

    Disk disk();

    Retention retention();

    Http http();

    Keeper keeper();

    /** What a stopping server does with running tasks. */
    enum Shutdown {
        LEAVE,
        STOP
    }

    /** The environment commands start from. */
    interface Env {
        /** What of the server's own environment a command gets: `filtered` (all but names that look like secrets), `core` (PATH, HOME and the like) or `all`. */
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
        int running();

        /** The largest request body, in bytes. */
        @WithDefault("33554432")
        long body();
    }

    /** What a task's output may cost. */
    interface Output {
        /** How many bytes of each stream are kept, at least 1 MiB; beyond it the middle is dropped, head and tail stay. A flood may hold as much again before bytes are freed, at most 64 MiB. */
        @WithDefault("67108864")
        long maxBytes();
    }

    /** What the data folder may cost. */
    interface Disk {
        /** Free space, in bytes, below which new commands are refused, and the running one whose output grows most is paused. */
        @WithDefault("268435456")
        long floor();
    }

    /** How long ended tasks are kept; a running one is never touched. */
    interface Retention {
        /** The age at which an ended task is forgotten. */
        @WithDefault("7d")
        Duration age();

        /** How many ended tasks are kept, the newest. */
        @WithDefault("10000")
        int count();

        /** How many bytes of output ended tasks may hold together. */
        @WithDefault("10737418240")
        long bytes();
    }

    /** Who may call. */
    interface Http {
        /** Host names that requests may be addressed to besides the loopback ones; the `Host` header is checked against DNS rebinding. */
        Optional<List<String>> allowedHosts();

        /** Web origins whose pages may call, such as `http://localhost:3000`; a request with any other `Origin` is refused. */
        Optional<List<String>> allowedOrigins();
    }

    /** The process that holds terminals. */
    interface Keeper {
        /** How long it stays when it holds no terminal and nobody is connected. */
        @WithDefault("1m")
        Duration idle();
    }
}
