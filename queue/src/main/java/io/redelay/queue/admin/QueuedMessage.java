package io.redelay.queue.admin;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.RedriveRule;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is in Redis.
 *
 * @param queue the queue
 * @param id the id its sender gave it, or else its uid
 * @param uid the store's name for it, never used again
 * @param state where it is
 * @param sentAt when it was sent, by the clock of Redis
 * @param dueAt when it is or was due, by the clock of Redis
 * @param failures how often its handling failed
 * @param crashes how often an instance died while it was a suspect of its
 * @param headers the sender's own headers
 * @param contentType what the payload is
 * @param payload the payload; of a message that cannot be read, all that was sent
 * @param instance the instance that has it in hand, if any
 * @param cancelled whether it was cancelled while it was in hand: if it still is in hand,
 * it will not be delivered again; if it is kept as completed, that ended it
 * @param diedAt when it died, if it is dead
 * @param death what it died of, if it is dead; also if it moved to the dead-letter queue
 * that its sender named, and is kept as completed because its sender waits for its result
 * @param history its earlier attempts, the first one first, at most ten
 * @param forwardedTo the queue it is being moved to, if any
 * @param orderingKey its ordering key, if it has one
 * @param fairnessKey its fairness key, if it has one
 * @param priority its priority, if its sender gave it one
 * @param completedAt when it was done, if it is kept as completed
 * @param result what its handler returned, JSON mostly, if that is kept
 * @param work what its handlers keep with it: progress, log and checkpoint
 * @param payloadType the logical name of what the payload is, if its sender gave one; see
 * {@link io.redelay.queue.PayloadType}
 * @param tags its tags, in the order in which its sender gave them
 * @param rounds in how many rounds of a {@link RedriveRule} it was redriven since it was
 * last redriven otherwise
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record QueuedMessage(String queue, String id, String uid, MessageState state, Instant sentAt, Instant dueAt,
		int failures, int crashes, Map<String, Object> headers, String contentType, byte[] payload,
		@Nullable String instance, boolean cancelled, @Nullable Instant diedAt, @Nullable FailedAttempt death,
		List<FailedAttempt> history, @Nullable String forwardedTo, @Nullable String orderingKey,
		@Nullable String fairnessKey, @Nullable Integer priority, @Nullable Instant completedAt,
		byte @Nullable [] result, MessageWork work, @Nullable String payloadType, Set<String> tags, int rounds) {

	/**
	 * The payload as text.
	 * @return JSON, mostly
	 */
	public String payloadAsText() {
		return new String(this.payload, StandardCharsets.UTF_8);
	}

	/**
	 * Returns when a rule redrives the message.
	 * @param rule the rule of its queue
	 * @return when it does so at the earliest; nothing if it does not, because the
	 * message is not dead, died of something else, or had all rounds
	 */
	public Optional<Instant> redriveAt(RedriveRule rule) {
		return (this.diedAt != null && isRedrivenBy(rule)) ? Optional.ofNullable(rule.next(this.diedAt))
				: Optional.empty();
	}

	private boolean isRedrivenBy(RedriveRule rule) {
		DeathReason reason = (this.death != null) ? this.death.reason() : null;
		return this.state == MessageState.DEAD && this.forwardedTo == null && reason != null
				&& rule.reasons().contains(reason) && this.rounds < rule.rounds();
	}

	@Override
	public String toString() {
		return "message '" + this.id + "' of the queue '" + this.queue + "' (" + this.state + ")";
	}

}
