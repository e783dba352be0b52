package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.Failure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A command that asks the server. */
abstract class Remote extends Verb {
    private static final String WHOLE_ID = "task_[0-9A-Z]{26}";
    private static final String BEGINNING = "task_([0-7][0-9A-HJKMNP-TV-Z]{0,24})?";
    private static final String DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    /** No id stands above it. */
    private static final String LAST = "task_7" + "Z".repeat(25);

    private static final String LISTED = "holdfast ps -a lists them";
    private static final int PAGE = 100;
    /** Of the ids that begin alike. */
    private static final int SHOWN = 5;

    @SuppressWarnings("NullAway.Init")
    Api api;

    @Override
    public final Integer call() throws IOException, InterruptedException {
        api = holdfast().api();
        return run();
    }

    /** Of K=V, the values as they are: what picocli makes of a map tells of a quote in one, and shows it. */
    final Map<String, String> pairs(String option, List<String> given) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : given) {
            int equals = pair.indexOf('=');
            refuse(equals < 1, option + ": write a name, = and a value");
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return pairs;
    }

    /** What is done with one of several. */
    interface Each {
        /** False where it failed, and that is said. */
        boolean done(String one) throws IOException, InterruptedException;
    }

    /** With each of them, also where it fails with one; only a server that is away ends it. */
    final int each(List<String> several, Each action) throws IOException, InterruptedException {
        int code = 0;
        for (String one : several) {
            try {
                code = action.done(one) ? code : Math.max(code, Failure.ERROR);
            } catch (Failure | Refused failed) {
                code = Math.max(code, Holdfast.failed(failed, holdfast()));
            }
        }
        return code;
    }

    /** The id that {@code beginning}, with or without {@code task_}, is one's beginning of. */
    String id(String beginning) throws IOException, InterruptedException {
        requireMore(beginning, "task", LISTED);
        String wanted = beginning.toUpperCase(Locale.ROOT);
        wanted = wanted.startsWith("TASK_") ? wanted : "TASK_" + wanted;
        wanted = "task_" + wanted.substring("TASK_".length());
        if (wanted.matches(WHOLE_ID)) {
            return wanted;
        }
        List<String> found = wanted.matches(BEGINNING) ? beginning(wanted) : List.of();
        return found.isEmpty() && json()
                ? Api.encoded(beginning) // so that the server refuses it, in its own words
                : only(found, beginning, "task", LISTED);
    }

    /** The newest tasks whose ids begin so, one more than are shown; a list goes on below its cursor. */
    private List<String> beginning(String id) throws IOException, InterruptedException {
        List<String> found = new ArrayList<>();
        for (JsonNode task : api.having(
                        api.get("/v1/tasks?status=all&limit=" + (SHOWN + 1) + "&cursor=" + above(id)), "tasks")
                .path("tasks")) {
            if (task.path("task_id").asText().startsWith(id)) {
                found.add(task.path("task_id").asText());
            }
        }
        return found;
    }

    /** The lowest id above all that begin so: the highest of them, which ends in Zs, may be the one that is meant. */
    static String above(String beginning) {
        String low = beginning.replaceFirst("Z+$", "");
        int last = low.length() - 1;
        return LAST.startsWith(low)
                ? LAST
                : low.substring(0, last)
                        + DIGITS.charAt(DIGITS.indexOf(low.charAt(last)) + 1)
                        + "0".repeat(LAST.length() - low.length());
    }

    /** Nobody means the only one there is by a variable that is not set. */
    static void requireMore(String beginning, String what, String remedy) {
        if ((what + "_").startsWith(beginning.toLowerCase(Locale.ROOT))) {
            throw new Failure(
                    Failure.MISUSED,
                    "'" + beginning + "' begins every " + what + "'s id",
                    "give more of it: " + remedy);
        }
    }

    static String only(List<String> found, String beginning, String what, String remedy) {
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw new Failure(
                found.isEmpty()
                        ? "no " + what + " begins with '" + beginning + "': " + remedy
                        : "'" + beginning + "' begins several: "
                                + found.stream().limit(SHOWN).collect(Collectors.joining(", "))
                                + (found.size() > SHOWN ? " and more" : ""));
    }

    /** All that the filter lets through, newest first, as if it were one page of the server's. */
    JsonNode whole(String filter) throws IOException, InterruptedException {
        String path = "/v1/tasks?limit=" + PAGE + "&" + filter;
        ObjectNode all = (ObjectNode) api.having(api.get(path), "tasks");
        while (all.path("next_cursor").isTextual()) {
            JsonNode page = api.having(
                    api.get(path + "&cursor="
                            + Api.encoded(all.path("next_cursor").asText())),
                    "tasks",
                    "next_cursor");
            page.path("tasks").forEach(all.withArray("tasks")::add);
            all.set("next_cursor", page.path("next_cursor"));
        }
        return all;
    }

    /** As it is now; of one that has ended, with what it left running. */
    JsonNode looked(String id) throws IOException, InterruptedException {
        return api.having(api.get("/v1/tasks/" + id + "?fresh=true"), "task_id", "status", "command");
    }

    JsonNode task(String id) throws IOException, InterruptedException {
        return api.having(api.get("/v1/tasks/" + id), "task_id", "status", "command");
    }
}
