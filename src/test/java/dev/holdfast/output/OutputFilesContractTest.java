package dev.holdfast.output;

import dev.holdfast.runtime.OutputStoreContract;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real files. */
class OutputFilesContractTest extends OutputStoreContract {
    @TempDir
    Path dataDir;

    @AutoClose
    private OutputFixture task;

    @BeforeEach
    void open() {
        task = new OutputFixture(dataDir, 1 << 20);
    }

    @Override
    protected OutputStore store() {
        return task.output;
    }

    @Override
    protected TaskId id() {
        return OutputFixture.ID;
    }

    @Override
    protected void write(StreamName stream, String text) throws IOException {
        task.write(stream, text);
    }
}
