package dev.holdfast.runtime;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;

/** The contract on the fake that the use cases are tried with. */
class FakeOutputTest extends OutputStoreContract {
    private final FakeOutput store = new FakeOutput(new Steps());

    @Override
    protected OutputStore store() {
        return store;
    }

    @Override
    protected TaskId id() {
        return new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ");
    }

    @Override
    protected void write(StreamName stream, String text) {
        store.write(id(), stream, text);
    }
}
