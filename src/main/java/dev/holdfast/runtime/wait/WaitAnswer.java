package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.TaskView;
import java.util.List;

/**
 * What came of a wait. Conditions are named by their index.
 *
 * @param satisfied those that have come true, in order
 * @param timedOut whether the time was over before there was an answer
 * @param matches what was found, of those conditions that look for something
 * @param tasks each task of the request once, as it stands at the end of the wait
 * @param impossible those that can't come true any more
 */
public record WaitAnswer(
        List<Integer> satisfied,
        boolean timedOut,
        List<Match> matches,
        List<TaskView> tasks,
        List<Integer> impossible) {

    /**
     * A line of output: one that matches, or the one that asks for input.
     *
     * @param text the line, at most 2,000 characters of it around the match; as far as it was printed. Of a question at
     *     most the last 1,000
     * @param cursor of both streams: after that line, and in the other stream at the line that looking had come to
     */
    public record Match(int index, String text, String cursor) {}
}
