package io.redelay.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveStatus;

/**
 * The dead messages of a queue in a time that a test moves. They are due by the time that
 * has passed since their deaths, and by the times of a cron expression.
 */
final class AdvancedDead {

	private final QueueAdmin admin;

	private final String queue;

	/**
	 * How far the test is ahead of the clock of Redis.
	 */
	private Duration ahead = Duration.ZERO;

	/**
	 * How much that was when each message died, by uid.
	 */
	private Map<String, Duration> aheadAtDeath = new HashMap<>();

	AdvancedDead(QueueAdmin admin, String queue) {
		this.admin = admin;
		this.queue = queue;
	}

	/**
	 * Has time pass.
	 * @param time how much
	 * @param dead the messages that are dead
	 */
	synchronized void advance(Duration time, List<QueuedMessage> dead) {
		Map<String, Duration> known = this.aheadAtDeath;
		this.aheadAtDeath = new HashMap<>();
		dead.forEach((message) -> this.aheadAtDeath.put(message.uid(), known.getOrDefault(message.uid(), this.ahead)));
		this.ahead = this.ahead.plus(time);
		Optional<RedriveStatus> status = dead.isEmpty() ? Optional.empty()
				: this.admin.deadLetters().redriveStatus(this.queue);
		status.map(RedriveStatus::rule)
			.ifPresent((rule) -> dead.stream()
				.filter((message) -> message.redriveAt(rule).isPresent() && isDue(rule, message))
				.forEach((message) -> this.admin.deadLetters().redriveRound(this.queue, message.uid())));
	}

	private boolean isDue(RedriveRule rule, QueuedMessage message) {
		Instant died = message.diedAt();
		Duration before = this.aheadAtDeath.get(message.uid());
		if (died == null || before == null) {
			return false;
		}
		Instant due = rule.next(died.plus(before));
		return due != null && !due.isAfter(Instant.now().plus(this.ahead));
	}

}
