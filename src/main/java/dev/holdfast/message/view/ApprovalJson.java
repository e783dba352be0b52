package dev.holdfast.message.view;

import dev.holdfast.policy.classes.CommandClass;
import dev.holdfast.runtime.start.Approval;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "Approval", description = "A command that a person is asked about")
public record ApprovalJson(
        @Schema(examples = "approval_01JZZ3NDEKTSV4RRFFQ69G5FAV")
        String approvalId,

        Approval.State state,

        @Schema(
                description = "At most 240 characters, here-documents left out, secrets masked",
                examples = "git push origin main")
        String cmdPreview,

        @Schema(
                nullable = true,
                description = "All of it, here-documents too, secrets masked; null in a list once it was answered",
                examples = "git push origin main")
        @Nullable
        String cmd,

        String workdir,
        Set<CommandClass> classes,

        @Schema(nullable = true, description = "The rule that asks; null: the policy's default") @Nullable
        String rule,

        @Schema(nullable = true) @Nullable String reason,

        @Schema(description = "The words of the command that decided", examples = "git push origin main")
        String words,

        @Schema(
                description = "The same of each of its commands that decided alike, in their order",
                examples = "[\"git push origin main\"]")
        List<String> deciding,

        @Schema(description = "The name of the token") String requestedBy,
        Instant requestedAt,
        Instant expiresAt,

        @Schema(
                nullable = true,
                description = "What may be allowed for longer than once; null where no pattern is safe",
                examples = "git push *")
        @Nullable
        String suggestedRule,

        @Schema(nullable = true, description = "What it started; null for none") @Nullable
        String taskId,

        @Schema(nullable = true, description = "Why it could not be started although it was allowed") @Nullable
        String startError,

        @Schema(nullable = true) @Nullable String decidedBy,
        @Schema(nullable = true) @Nullable Instant decidedAt,

        @Schema(nullable = true, description = "What the person said") @Nullable
        String decisionReason) {

    @Schema(name = "Approvals", description = "Approvals, newest first")
    public record Listing(List<ApprovalJson> approvals) {}

    /** One of a list, which all that was answered in a week may be in: whole where somebody is to answer it. */
    public static ApprovalJson listed(Approval approval) {
        return of(approval, approval.state() == Approval.State.PENDING ? approval.shown() : null);
    }

    public static ApprovalJson of(Approval approval) {
        return of(approval, approval.shown());
    }

    private static ApprovalJson of(Approval approval, @Nullable String cmd) {
        Approval.Asked asked = approval.asked();
        Approval.Decided decided = approval.outcome().decided();
        return new ApprovalJson(
                approval.id(),
                approval.state(),
                approval.preview(),
                cmd,
                asked.workdir(),
                asked.classes(),
                asked.rule(),
                asked.reason(),
                approval.shownWords(),
                approval.shownDeciding(),
                approval.actor().name(),
                asked.requestedAt(),
                asked.expiresAt(),
                asked.suggested(),
                approval.became(),
                approval.outcome().startError(),
                decided == null ? null : decided.by(),
                decided == null ? null : decided.at(),
                decided == null ? null : decided.reason());
    }
}
