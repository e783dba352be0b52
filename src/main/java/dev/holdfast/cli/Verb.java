package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A word of the command, with what follows it. */
@Command(sortOptions = false)
abstract class Verb implements Callable<Integer> {
    /** Null where the words were not read by picocli. */
    @Spec
    @Nullable
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "tells of this command")
    boolean help;

    @Nullable
    private Holdfast holdfast;

    /** In place of what picocli finds out. */
    final void of(Holdfast root) {
        holdfast = root;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        return run();
    }

    /** Its exit code. */
    abstract int run() throws IOException, InterruptedException;

    final Holdfast holdfast() {
        if (holdfast == null) {
            holdfast = spec == null ? new Holdfast() : (Holdfast) spec.root().userObject();
        }
        return holdfast;
    }

    final boolean json() {
        return holdfast().json;
    }

    /** Prints it where JSON is asked for, and says whether that is so: else it is to be told in words. */
    final boolean asJson(JsonNode answer) {
        if (json()) {
            Page.json(answer);
        }
        return json();
    }

    /** @throws ParameterException if it is so, with these words */
    final void refuse(boolean wrong, String words) {
        if (wrong && spec != null) {
            throw new ParameterException(spec.commandLine(), words);
        }
    }
}
