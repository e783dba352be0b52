package dev.holdfast.tool.holdfast;

import dev.holdfast.message.view.Json;
import dev.holdfast.render.TaskTexts.Seen;
import dev.holdfast.runtime.TaskView;
import java.util.List;

/** What texts show of a task's processes. */
final class Views {
    private Views() {}

    static Seen seen(TaskView view) {
        var live = view.live();
        return live == null
                ? new Seen(null, List.of(), view.left())
                : new Seen(Json.name(live.facts().waiting()), live.facts().ports(), List.of());
    }
}
