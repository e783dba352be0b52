package dev.holdfast.tool.mcp;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.Approval;
import dev.holdfast.runtime.start.Asker;
import dev.holdfast.runtime.start.Decisions;
import dev.holdfast.runtime.start.Decisions.Answer;
import dev.holdfast.runtime.start.Decisions.Remember;
import io.quarkiverse.mcp.server.Elicitation;
import io.quarkiverse.mcp.server.ElicitationRequest.EnumSchema;
import io.quarkiverse.mcp.server.ElicitationResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Asks the person at the other end of an MCP client, by elicitation. Who declines denies; who closes the question
 * leaves it open for the list of approvals.
 *
 * @param limit how long the client has
 */
record McpAsker(Elicitation elicitation, Decisions decisions, Actor by, Duration limit) implements Asker {
    private static final Logger LOG = Logger.getLogger(McpAsker.class);
    private static final String ONCE = "allow once";
    private static final String SESSION = "allow until the server ends";
    private static final String ALWAYS = "allow always";
    private static final String DENY = "deny";

    @Override
    public void ask(Approval approval) {
        try {
            send(approval);
        } catch (RuntimeException goneOrNotReady) {
            LOG.debugf("%s is not asked at the client: %s", approval.id(), goneOrNotReady);
        }
    }

    private void send(Approval approval) {
        var _ = elicitation
                .requestBuilder()
                .setMessage(question(approval))
                .addSchemaProperty(McpTools.DECISION, answers(approval))
                .setTimeout(limit)
                .build()
                .send()
                .subscribe()
                .with(
                        response -> Thread.startVirtualThread(() -> decide(approval, response)),
                        failure -> LOG.debugf("%s was not answered: %s", approval.id(), failure));
    }

    private static String question(Approval approval) {
        Approval.Asked asked = approval.asked();
        String rule = asked.rule() == null ? "the default" : asked.rule();
        String reason = asked.reason() == null ? "" : " " + asked.reason();
        String remembered = asked.suggested() == null ? "" : "\nFor longer: " + asked.suggested();
        return "Run this in " + asked.workdir() + "?\n\n" + approval.shown() + "\n\nAsked by " + rule + ", for `"
                + approval.shownWords() + "`." + reason + remembered;
    }

    private static EnumSchema answers(Approval approval) {
        List<String> answers = new ArrayList<>(List.of(ONCE, DENY));
        if (approval.asked().suggested() != null) {
            answers.addAll(1, List.of(SESSION, ALWAYS));
        }
        return EnumSchema.builder(answers).setRequired(true).build();
    }

    private void decide(Approval approval, ElicitationResponse response) {
        try {
            switch (response.action()) {
                case ACCEPT ->
                    decisions.decide(approval.id(), answer(response.content().getString(McpTools.DECISION)), by);
                case DECLINE -> decisions.decide(approval.id(), answer(DENY), by);
                case CANCEL -> LOG.debugf("%s is left open", approval.id());
            }
        } catch (Refusal late) {
            LOG.infof("The answer to %s comes to nothing: %s", approval.id(), late.getMessage());
        }
    }

    private static Answer answer(String said) {
        return switch (said) {
            case ONCE -> new Answer(true, Remember.ONCE, null);
            case SESSION -> new Answer(true, Remember.SESSION, null);
            case ALWAYS -> new Answer(true, Remember.ALWAYS, null);
            case DENY -> new Answer(false, Remember.ONCE, null);
            default -> throw Refusal.invalid(McpTools.DECISION, "is none that was offered", "Answer it in the list.");
        };
    }
}
