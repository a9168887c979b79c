package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.MessageWork;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveStatus;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what endpoints show of rules by which dead messages are redriven.
 */
class RedriveViewTests {

	private static final Instant DIED = Instant.parse("2026-11-23T12:00:00Z");

	private static final RedriveRule RULE = new RedriveRule(Duration.ofHours(1), null, null, 3, 10,
			Set.of(DeathReason.FAILED));

	@Test
	void aRuleIsShownWithItsNextTime() {
		RedriveView view = RedriveView.of(new RedriveStatus(RULE, true, DIED, null));
		assertThat(view)
			.isEqualTo(new RedriveView(3_600_000d, null, null, 3, 10, Set.of(DeathReason.FAILED), true, DIED, null));
	}

	@Test
	void aDeadMessageIsShownWithItsRoundsAndWhenItIsRedriven() {
		MessageView view = row(dead(DeathReason.FAILED, 2), RULE);
		assertThat(view.rounds()).isEqualTo(2);
		assertThat(view.mostRounds()).isEqualTo(3);
		assertThat(view.redriveAt()).isEqualTo(DIED.plus(Duration.ofHours(1)));
	}

	@Test
	void oneThatHadAllRoundsStays() {
		MessageView view = row(dead(DeathReason.FAILED, 3), RULE);
		assertThat(view.rounds()).isEqualTo(3);
		assertThat(view.redriveAt()).isNull();
	}

	@Test
	void oneOfAnotherReasonStays() {
		assertThat(row(dead(DeathReason.BURIED, 0), RULE).redriveAt()).isNull();
	}

	@Test
	void withoutARuleNothingOfItIsShown() {
		MessageView view = row(dead(DeathReason.FAILED, 0), null);
		assertThat(view.rounds()).isNull();
		assertThat(view.mostRounds()).isNull();
		assertThat(view.redriveAt()).isNull();
	}

	@Test
	void theDetailsOfAMessageStandBesideTheRest() {
		QueuedMessage message = dead(DeathReason.FAILED, 1);
		JsonNode view = JsonMapper.shared()
			.valueToTree(MessageView.full(message, new InstanceNames(List::of), RULE, null));
		assertThat(view.propertyNames()).contains("id", "masked", "work", "attempts", "timeline")
			.doesNotContain("details", "payload", "truncated", "headers", "result");
		assertThat(JsonMapper.shared().<JsonNode>valueToTree(row(message, RULE)).propertyNames())
			.contains("id", "death")
			.doesNotContain("details", "masked", "work", "attempts", "timeline");
	}

	private static MessageView row(QueuedMessage message, RedriveRule rule) {
		return MessageView.row(message, new InstanceNames(List::of), rule);
	}

	private static QueuedMessage dead(DeathReason reason, int rounds) {
		return new QueuedMessage("orders", "a", "a", MessageState.DEAD, DIED, DIED, 1, 0, Map.of(), "application/json",
				new byte[0], null, false, DIED,
				new FailedAttempt(DIED, "here", "listener", reason, null, "no", null, 1, 0), List.of(), null, null,
				null, null, null, null, MessageWork.NONE, null, Set.of(), rounds);
	}

}
