package dev.holdfast.tool.holdfast;

import dev.holdfast.message.body.StartBatch;
import dev.holdfast.message.view.BatchJson;
import dev.holdfast.runtime.call.OpenCalls;
import dev.holdfast.runtime.start.BatchAnswer;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.Batches;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;

/** Runs short commands one after the other. */
@Singleton
public final class ExecCommandBatch extends Tool<StartBatch> {
    private final Batches batches;
    private final OpenCalls calls;

    public ExecCommandBatch(Batches batches, OpenCalls calls) {
        super(
                Profile.HOLDFAST,
                "ExecCommandBatch",
                "Run up to 12 short commands in turn. One that outlasts yield_time_ms is stopped.",
                StartBatch.class,
                Map.of("items", "as for ExecCommand, without tty or input"),
                Hints.RUNS);
        this.batches = batches;
        this.calls = calls;
    }

    @Override
    protected Outcome run(StartBatch input, Call call) {
        BatchRequest request = input.request();
        Duration most = call.wait(Call.NO_LIMIT);
        // Not cut short when its caller goes: the rest would be skipped.
        BatchAnswer answer = calls.during(most, () -> batches.run(request));
        BatchJson result = BatchJson.of(answer);
        return new Outcome(null, result.summaryText(), result, BatchJson.receipt(answer));
    }
}
