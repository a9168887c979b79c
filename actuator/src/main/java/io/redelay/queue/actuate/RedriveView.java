package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.DeathReason;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.RedriveStatus;
import org.jspecify.annotations.Nullable;

/**
 * The rule by which dead messages of a queue are redriven, as the endpoint of queues
 * shows it.
 *
 * @param delayMillis how long after its death a message is redriven, unless there is a
 * cron expression
 * @param cron the cron expression, if there is one
 * @param zone its zone
 * @param rounds in how many rounds a message is redriven before it stays dead
 * @param perSecond how many messages are redriven a second
 * @param reasons the reasons of death to which the rule applies
 * @param active whether an instance redrives now
 * @param next when messages are redriven next, if that is known
 * @param lastStayed when the last message died that stays dead after its last round
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RedriveView(@Nullable Double delayMillis, @Nullable String cron, @Nullable String zone, int rounds,
		double perSecond, Set<DeathReason> reasons, boolean active, @Nullable Instant next,
		@Nullable Instant lastStayed) {

	static RedriveView of(RedriveStatus status) {
		RedriveRule rule = status.rule();
		Duration delay = rule.delay();
		return new RedriveView((delay != null) ? RecordView.millis(delay) : null, rule.cron(), rule.zone(),
				rule.rounds(), rule.perSecond(), new TreeSet<>(rule.reasons()), status.active(), status.next(),
				status.lastStayed());
	}

}
