package dev.holdfast.api.security;

import java.util.regex.Pattern;

/** What of the server's paths is the console's: open to all, for nothing of it tells of a task. */
public final class ConsolePaths {
    /** Each of them is the one page, which looks at its address itself. */
    private static final Pattern PAGES = Pattern.compile("/|/tasks(/[^/]+)?|/(approvals|policy|audit)");

    private static final String VERSIONED = "/webjars/";

    private ConsolePaths() {}

    /** @param path normalised */
    static boolean isOpen(String path) {
        return isPage(path) || isFile(path);
    }

    public static boolean isPage(String path) {
        return PAGES.matcher(path).matches();
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
