package dev.holdfast.tool.holdfast;

import dev.holdfast.message.view.Json;
import dev.holdfast.render.TaskTexts.Seen;
import dev.holdfast.runtime.TaskView;

/** What texts show of a task's processes. */
final class Views {
    private Views() {}

    static Seen seen(TaskView view) {
        var live = view.live();
        return live == null
                ? Seen.NOTHING
                : new Seen(Json.name(live.facts().waiting()), live.facts().ports());
    }
}
