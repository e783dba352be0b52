package dev.holdfast.tool.codex;

import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far each caller was told of each session, so that a model reads nothing twice, and misses nothing that an
 * operator read before it. A session's number is made of the task's id, and so needs no record. One that was not asked
 * for lately, or not since this server started, is told from its start. Thread-safe.
 */
@Singleton
final class SessionReads {
    private static final int REMEMBERED = 1000;
    private static final int PAGE = 1 << 20;
    private static final String START = "0.0";

    private record Listener(String name, TaskId task) {}

    private final Caller caller;
    private final Tasks tasks;
    private final OutputReads reads;
    private final OutputStore outputs;
    private final Map<Listener, String> told = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Listener, String> eldest) {
            return size() > REMEMBERED;
        }
    });

    SessionReads(Caller caller, Tasks tasks, OutputReads reads, OutputStore outputs) {
        this.caller = caller;
        this.tasks = tasks;
        this.reads = reads;
        this.outputs = outputs;
    }

    /** All that one printed which ended before it had a session, stdout first. */
    HeadTail whole(TaskId id, int maxTokens) {
        HeadTail text = new HeadTail(maxTokens * Diagnostics.CHARS_PER_TOKEN);
        OutputStore.Facts facts = outputs.facts(id);
        for (StreamName stream : StreamName.values()) {
            text.endLine();
            long bytes = facts.bytes(stream);
            for (long at = 0; at < bytes; ) {
                OutputStore.TextSlice slice = outputs.readLines(id, stream, at, PAGE, at + PAGE >= bytes);
                leaveOut(text, slice.omitted());
                text.add(slice.text());
                at = slice.next() > at ? slice.next() : bytes;
            }
        }
        return text;
    }

    private static void add(HeadTail text, OutputPage<String> page) {
        leaveOut(text, page.omitted());
        text.add(page.content());
    }

    private static void leaveOut(HeadTail text, List<OutputStore.Gap> gaps) {
        gaps.forEach(gap -> text.leaveOut(gap.to() - gap.from()));
    }

    /**
     * What is new until {@code wait} has passed or it ended.
     *
     * @param began as of a {@link Chunk}
     */
    Chunk tell(TaskId id, Duration wait, int maxTokens, long began) {
        HeadTail text = new HeadTail(maxTokens * Diagnostics.CHARS_PER_TOKEN);
        Listener listener = new Listener(caller.actor().name(), id);
        OutputPage<String> page = reads.collect(id, told.getOrDefault(listener, START), PAGE, wait);
        add(text, page);
        while (page.more() && page.hasNews()) {
            page = reads.read(id, null, page.nextCursor(), PAGE, Duration.ZERO);
            add(text, page);
        }
        if (!Patience.isOver()) {
            told.put(listener, page.nextCursor()); // else nobody hears it
        }
        boolean ended = page.status().ended();
        Integer exit = page.exitStatus() == null ? Integer.valueOf(-1) : page.exitStatus();
        Chunk chunk =
                Chunk.of(began, ended ? exit : null, ended ? null : TaskIds.number(id), text.chars(), text.text());
        return ended ? tasks.known(id).map(task -> noting(chunk, task)).orElse(chunk) : chunk;
    }

    private Chunk noting(Chunk chunk, Task ended) {
        List<LeftProcess> left = tasks.left(ended);
        return chunk.noting(ended.ending(), CommandAnswer.LeftRunning.of(ended.id(), left));
    }
}
