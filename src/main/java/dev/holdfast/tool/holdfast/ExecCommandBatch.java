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
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Runs short commands one after the other. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "ExecCommandBatch",
        description = "Run up to 12 short commands in turn. One that outlasts yield_time_ms is stopped.",
        notes = {"items: as for ExecCommand, without tty or input"},
        effect = ToolDescription.Effect.RUNS)
public record ExecCommandBatch(Batches batches, OpenCalls calls) implements Tool<StartBatch> {
    @Override
    public Outcome run(StartBatch input, Call call) {
        BatchRequest request = input.request();
        Duration most = call.wait(Call.NO_LIMIT);
        // Not cut short when its caller goes: the rest would be skipped.
        BatchAnswer answer = calls.during(most, () -> batches.run(request));
        BatchJson result = BatchJson.of(answer);
        return new Outcome(null, result.summaryText(), result, BatchJson.receipt(answer));
    }
}
