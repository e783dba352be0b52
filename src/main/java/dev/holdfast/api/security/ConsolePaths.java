package dev.holdfast.api.security;

import io.vertx.core.MultiMap;
import java.util.regex.Pattern;

/** What of the server's paths is the console's: open to all, for nothing of it tells of a task. */
public final class ConsolePaths {
    /** Each of them is the one page, which looks at its address itself. */
    private static final Pattern PAGES = Pattern.compile("/|/tasks(/[^/]+)?|/(approvals|policy|audit)");

    /** Where programs call, and the files of the console. */
    private static final Pattern OTHERS = Pattern.compile("/(v1|q|mcp|console|webjars)(/.*)?");

    private static final String VERSIONED = "/webjars/";

    private ConsolePaths() {}

    /** @param path normalised */
    static boolean isOpen(String path) {
        return isPage(path) || isFile(path);
    }

    public static boolean isPage(String path) {
        return PAGES.matcher(path).matches();
    }

    /**
     * Whether a person is led to where nothing is. The page says so, or how to get in first.
     *
     * @param path normalised
     */
    public static boolean isAstray(String path, MultiMap headers) {
        String wanted = headers.get("Accept");
        return wanted != null
                && wanted.contains("text/html")
                && !isOpen(path)
                && !OTHERS.matcher(path).matches();
    }

    /** What the page is made of. */
    public static boolean isFile(String path) {
        return path.startsWith("/console/") || isVersioned(path);
    }

    /** Whether what is there never changes. */
    public static boolean isVersioned(String path) {
        return path.startsWith(VERSIONED);
    }
}
