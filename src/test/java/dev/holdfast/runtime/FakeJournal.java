package dev.holdfast.runtime;

import dev.holdfast.runtime.port.Journal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Holds its lines in memory. Steps: {@code journal}, of what is refused where it cannot be told; else {@code tell}. */
public final class FakeJournal implements Journal {
    public final List<Line> lines = new CopyOnWriteArrayList<>();
    private final Steps steps;

    public FakeJournal(Steps steps) {
        this.steps = steps;
    }

    @Override
    public void write(Line line) {
        steps.pass("journal");
        lines.add(line);
    }

    @Override
    public void tell(Line line) {
        steps.pass("tell");
        lines.add(line);
    }

    @Override
    public Optional<String> flaw() {
        return Optional.empty();
    }

    @Override
    public Page read(Query query) {
        List<Entry> entries = new ArrayList<>();
        for (Line line : lines) {
            if (query.taskId() == null || query.taskId().equals(line.taskId())) {
                entries.add(new Entry(entries.size() + 1, Instant.now(), line));
            }
        }
        return new Page(entries, null);
    }
}
