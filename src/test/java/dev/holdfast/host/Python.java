package dev.holdfast.host;

import java.nio.file.Files;
import java.nio.file.Path;

/** The interpreter that plays all sorts of commands in tests. */
public final class Python {
    /** The system's own, since version managers put a script in front. */
    public static final String PATH = Files.isExecutable(Path.of("/usr/bin/python3")) ? "/usr/bin/python3" : "python3";

    public static final boolean AS_ROOT = "root".equals(System.getProperty("user.name"));

    private Python() {}
}
