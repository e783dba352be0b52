package dev.holdfast.runtime.wait;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.output.OutputCursor;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.wait.Outcome.Found;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A line that matches, in either stream: looked for in what is there, and whenever there is more. */
final class AwaitedOutput extends AwaitedOnThread {
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final TaskId id;
    private final OutputStore outputs;
    private final List<LineMatch> streams;

    AwaitedOutput(TaskId id, Pattern pattern, OutputCursor from, OutputStore outputs) {
        this.id = id;
        this.outputs = outputs;
        this.streams = Stream.of(StreamName.values())
                .map(stream -> new LineMatch(pattern, outputs, id, stream, from.of(stream)))
                .toList();
    }

    @Override
    OutputStore.Watch watch(Runnable somethingNew) {
        return outputs.watch(id, _ -> somethingNew.run());
    }

    /** Lets other virtual threads go on after each piece: much to look through keeps nobody else waiting. */
    @Override
    @SuppressWarnings("ThreadPriorityCheck")
    Duration look(boolean last) {
        boolean more = true;
        while (more && !isOver()) {
            more = false;
            for (LineMatch stream : streams) {
                more |= lookAt(stream, last);
            }
            Thread.yield();
        }
        if (last && !isOver()) {
            impossible();
        }
        return FOREVER;
    }

    private boolean lookAt(LineMatch stream, boolean last) {
        boolean more = stream.read(last);
        LineMatch.Line line = more ? stream.find() : null;
        if (line != null) {
            came(new Found(line.text(), after(stream, line).text(null)));
        }
        return more;
    }

    private OutputCursor after(LineMatch matched, LineMatch.Line line) {
        OutputCursor cursor = OutputCursor.START;
        for (LineMatch stream : streams) {
            cursor = cursor.with(stream.stream(), stream == matched ? line.next() : stream.lineFrom());
        }
        return cursor;
    }
}
