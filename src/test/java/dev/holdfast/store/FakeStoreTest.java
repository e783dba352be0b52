package dev.holdfast.store;

import dev.holdfast.runtime.FakeStore;
import dev.holdfast.runtime.port.TaskStore;

/** The contract on the fake that the use cases are tried with. */
class FakeStoreTest extends TaskListsContract {
    private final TaskStore store = new FakeStore();

    @Override
    TaskStore store() {
        return store;
    }
}
