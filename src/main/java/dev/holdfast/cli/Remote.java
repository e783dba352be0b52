package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.terminal.Failure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that asks the server. */
@Command(sortOptions = false)
abstract class Remote implements Callable<Integer> {
    private static final String WHOLE_ID = "TASK_[0-9A-Z]{26}";
    private static final int PAGE = 100;
    /** Of the ids that begin alike. */
    private static final int SHOWN = 5;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "tells of this command")
    boolean help;

    @SuppressWarnings("NullAway.Init")
    Api api;

    @Override
    public final Integer call() throws IOException, InterruptedException {
        api = holdfast().api();
        return run();
    }

    /** Its exit code. */
    abstract int run() throws IOException, InterruptedException;

    Holdfast holdfast() {
        return (Holdfast) spec.root().userObject();
    }

    boolean json() {
        return holdfast().json;
    }

    /** The id that {@code beginning}, with or without {@code task_}, is one's beginning of. */
    String id(String beginning) throws IOException, InterruptedException {
        String wanted = beginning.toUpperCase(Locale.ROOT);
        wanted = wanted.startsWith("TASK_") ? wanted : "TASK_" + wanted;
        if (wanted.matches(WHOLE_ID)) {
            return asWritten(wanted);
        }
        List<String> found = new ArrayList<>();
        String asked = wanted;
        for (JsonNode task : tasks("status=all")) {
            String id = task.path("task_id").asText();
            if (id.toUpperCase(Locale.ROOT).startsWith(asked)) {
                found.add(id);
            }
        }
        return only(found, beginning, "task", "holdfast ps -a lists them");
    }

    private static String asWritten(String upper) {
        return "task_" + upper.substring("TASK_".length());
    }

    static String only(List<String> found, String beginning, String what, String remedy) {
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw new Failure(
                Failure.ERROR,
                found.isEmpty()
                        ? "no " + what + " begins with '" + beginning + "': " + remedy
                        : "'" + beginning + "' begins several: "
                                + found.stream().limit(SHOWN).collect(Collectors.joining(", "))
                                + (found.size() > SHOWN ? " and " + (found.size() - SHOWN) + " more" : ""));
    }

    /** All that the filter lets through, newest first. */
    List<JsonNode> tasks(String filter) throws IOException, InterruptedException {
        List<JsonNode> all = new ArrayList<>();
        String path = "/v1/tasks?limit=" + PAGE + "&" + filter;
        JsonNode page = api.get(path);
        page.path("tasks").forEach(all::add);
        while (page.path("next_cursor").isTextual()) {
            page = api.get(
                    path + "&cursor=" + Api.encoded(page.path("next_cursor").asText()));
            page.path("tasks").forEach(all::add);
        }
        return all;
    }

    JsonNode task(String id) throws IOException, InterruptedException {
        return api.get("/v1/tasks/" + id);
    }
}
