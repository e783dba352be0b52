package dev.holdfast.tool;

import static java.util.Comparator.comparing;

import dev.holdfast.message.body.JsonBody;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.Refusal;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** All tools, behind each of the doors to them. Thread-safe; a call blocks as long as its tool does. */
@Singleton
public final class ToolRegistry {
    private static final Logger LOG = Logger.getLogger(ToolRegistry.class);
    private final Caller caller;
    private final List<Tool<?>> tools;

    ToolRegistry(Caller caller, @Any Instance<Tool<?>> tools) {
        this.caller = caller;
        this.tools = tools.stream()
                .<Tool<?>>map(tool -> tool)
                .sorted(comparing(Tool::name))
                .toList();
    }

    public List<Tool<?>> of(Profile profile) {
        return tools.stream().filter(tool -> tool.profile() == profile).toList();
    }

    /** The tool of that name in the profile, else in ours, else in any; {@code _} may stand for a dot. */
    public Optional<Tool<?>> find(Profile profile, String name) {
        return Stream.of(of(profile), of(Profile.HOLDFAST), tools)
                .flatMap(List::stream)
                .filter(tool -> tool.name().equals(name)
                        || tool.name().replace('.', '_').equals(name))
                .findFirst();
    }

    /**
     * Reads the input, runs the tool and says in the log what came of it, without the input.
     *
     * @param input JSON as the model wrote it
     */
    public <I extends Record> ToolAnswer call(Tool<I> tool, byte[] input, Call call) {
        long began = System.nanoTime();
        Object task = null;
        String came = "internal";
        try {
            if (!tool.description().annotations().readOnlyHint()) {
                caller.mayChange();
            }
            Tool.Outcome outcome = tool.run(JsonBody.lenient(input, tool.input()), call);
            task = outcome.task();
            ToolAnswer answer = ToolAnswer.of(tool.name(), outcome);
            came = answer.outcome();
            return answer;
        } catch (Refusal refusal) {
            task = refusal.details().get("task_id");
            ToolAnswer answer = ToolAnswer.of(tool, ToolWords.of(tool.profile(), refusal));
            came = answer.outcome();
            return answer;
        } finally {
            long millis = (System.nanoTime() - began) / 1_000_000;
            LOG.infof(
                    "tool=%s profile=%s task=%s outcome=%s duration_ms=%d",
                    tool.name(), tool.profile(), task == null ? "-" : task, came, millis);
        }
    }
}
