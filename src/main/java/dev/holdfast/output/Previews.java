package dev.holdfast.output;

import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import org.jspecify.annotations.Nullable;

/**
 * Head and tail of a task's streams as text. What is read and held is bounded by the budget, not by the output: at most
 * {@value #READ_AHEAD} bytes for a character of it.
 */
final class Previews {
    /** Escapes take bytes but no room; so many bytes are read for a character of the budget, and no more. */
    static final int READ_AHEAD = 8;

    private Previews() {}

    /**
     * @param chars for both streams together; exceeded only where it is less than the line that counts what is left out
     * @param last whether nothing will follow; else an unfinished character at the end is not shown yet
     */
    static Preview of(TaskFolder folder, int chars, boolean last) {
        StreamFile out = new StreamFile(folder, StreamName.STDOUT);
        StreamFile err = new StreamFile(folder, StreamName.STDERR);
        int most = chars * READ_AHEAD;
        String stdout = whole(out, most, last);
        String stderr = whole(err, most, last);
        int stdoutNeeds = stdout == null ? most : stdout.length();
        int stderrNeeds = stderr == null ? most : stderr.length();
        int half = chars / 2;
        int forStderr = Math.min(stderrNeeds, Math.max(chars - half, chars - stdoutNeeds));
        int forStdout = chars - forStderr;
        Shown shownOut =
                stdout != null && stdoutNeeds <= forStdout ? new Shown(stdout, 0) : Cut.of(out, forStdout, last);
        Shown shownErr =
                stderr != null && stderrNeeds <= forStderr ? new Shown(stderr, 0) : Cut.of(err, forStderr, last);
        return new Preview(shownOut.orNull(), shownErr.orNull(), shownOut.leftOut() > 0 || shownErr.leftOut() > 0);
    }

    /** @param leftOut bytes of the stream that the text does not stand for */
    record Shown(String text, long leftOut) {
        @Nullable
        String orNull() {
            return text.isEmpty() && leftOut == 0 ? null : text;
        }
    }

    /** The text of the whole stream, null when it has more than {@code most} bytes or a gap. */
    private static @Nullable String whole(StreamFile file, int most, boolean last) {
        long size = file.size();
        if (size == 0) {
            return "";
        }
        if (size > most) {
            return null;
        }
        StreamFile.Chunk chunk = file.read(0, (int) size);
        if (chunk.next() < size || chunk.start() > 0) {
            return null;
        }
        return TextView.render(chunk.bytes(), 0, chunk.bytes().length, last).text();
    }
}
