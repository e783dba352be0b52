package dev.holdfast.api.problem;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Which methods a path has, for the {@code Allow} header that goes with 405, and that answers OPTIONS. */
enum Methods {
    COMMANDS("/v1/commands(/batch)?", "POST"),
    LISTS("/v1/(tasks|events|approvals|audit)", "GET"),
    TASK("/v1/tasks/[^/]+", "GET, DELETE"),
    LOOKS("/v1/tasks/[^/]+/(output|output/search|screen|events|terminal)", "GET"),
    ACTS("/v1/tasks/[^/]+/(stop|signal|input)", "POST"),
    SIZE("/v1/tasks/[^/]+/terminal-size", "PUT"),
    WAIT("/v1/wait", "POST"),
    TOOLS("/v1/tools", "GET"),
    TOOL("/v1/tools/[^/]+", "POST"),
    SESSION("/v1/console/session", "GET, POST, DELETE"),
    APPROVAL("/v1/approvals/[^/]+", "GET, POST"),
    POLICY("/v1/policy/check", "POST"),
    TOKENS("/v1/tokens", "GET, POST"),
    TOKEN("/v1/tokens/[^/]+", "DELETE"),
    KEYS("/v1/console/keys", "POST"),
    MCP("/mcp", "POST, GET, DELETE");

    private final Pattern path;
    private final String allowed;

    Methods(String path, String allowed) {
        this.path = Pattern.compile(path + "/?");
        this.allowed = allowed;
    }

    /** Whether the path is ours, and has other methods than this one; GET stands for HEAD too. */
    static boolean lack(String path, String method) {
        return of(path).filter(
                        allowed -> !List.of(allowed.split(", ", -1)).contains(method.equals("HEAD") ? "GET" : method))
                .isPresent();
    }

    /** As the header lists them; nothing for a path that is not ours. */
    static Optional<String> of(String path) {
        return Stream.of(values())
                .filter(methods -> methods.path.matcher(path).matches())
                .map(methods -> methods.allowed)
                .findFirst();
    }
}
