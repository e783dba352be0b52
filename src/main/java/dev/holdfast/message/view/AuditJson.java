package dev.holdfast.message.view;

import dev.holdfast.runtime.port.Journal;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "AuditPage", description = "A part of the journal, the oldest entry first")
public record AuditJson(
        List<Entry> entries,

        @Schema(
                nullable = true,
                description =
                        "To go on from, the `seq` of the last entry; null at the end. Valid while its file is kept;"
                                + " then it goes on with the oldest that is",
                examples = "1042")
        @Nullable
        String nextCursor) {

    @Schema(name = "AuditEntry", description = "What was decided or done; what its action has none of is null")
    public record Entry(
            @Schema(description = "Grows by one from entry to entry, over restarts too", examples = "1042")
            long seq,

            Instant at,

            @Schema(
                    description = "The name of the token that asked; `system` for what nobody asked for",
                    examples = "operator")
            String actor,

            Journal.Action action,

            @Schema(
                    nullable = true,
                    description = "Of a decision the one that the command has if it starts; null when it does not",
                    examples = "task_01M84MWFG88P42DQEJS1BH417F")
            @Nullable
            String taskId,

            @Schema(nullable = true, description = "`allow`, `ask` or `deny`", examples = "deny") @Nullable
            String decision,

            @Schema(nullable = true, description = "That decided; null: the default", examples = "builtin.rm-root")
            @Nullable
            String rule,

            @Schema(nullable = true) @Nullable List<String> classes,

            @Schema(nullable = true, description = "The command, secrets masked", examples = "rm -rf /") @Nullable
            String cmdPreview,

            @Schema(nullable = true, description = "Of input", examples = "4") @Nullable
            Long bytes,

            @Schema(nullable = true, description = "Of the bytes of input, hexadecimal") @Nullable
            String sha256,

            @Schema(
                    nullable = true,
                    description =
                            "Which signal, what grace, how it ended; of input `typing` when somebody begins to type"
                                    + " into a terminal; of an approval its id; of a decision the approval that it goes by"
                                    + " and who answered, or what of a running task is denied",
                    examples = "TERM")
            @Nullable
            String detail) {}

    public static AuditJson of(Journal.Page page) {
        Long next = page.next();
        return new AuditJson(
                page.entries().stream().map(AuditJson::entry).toList(), next == null ? null : Long.toString(next));
    }

    private static Entry entry(Journal.Entry entry) {
        Journal.Line line = entry.line();
        return new Entry(
                entry.seq(),
                entry.at(),
                line.actor(),
                line.action(),
                line.taskId() == null ? null : line.taskId().value(),
                line.decision(),
                line.rule(),
                line.classes(),
                line.cmdPreview(),
                line.bytes(),
                line.sha256(),
                line.detail());
    }
}
