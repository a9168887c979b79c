package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.redelay.queue.Deduplication;
import io.redelay.queue.Durability;
import io.redelay.queue.DurabilityOutcome;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.SendNotDurableException;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.script.PublishScript;
import org.jspecify.annotations.Nullable;

/**
 * A message that is checked, converted and shown to the interceptors: it is sent, or
 * stored elsewhere to be sent later.
 *
 * @param message the message as the interceptors left it
 * @param destination whether its name is that of a queue or of a topic
 * @param entry what is sent, or kept to be sent later
 * @param observation started
 * @param interceptors to be notified of its outcome
 * @since 0.1.0
 */
public record PreparedMessage(OutboundMessage message, Destination destination, NewMessage entry,
		GuardedObservation observation, SendInterceptors interceptors) {

	String uid() {
		return this.entry.uid();
	}

	int size() {
		return this.entry.bytes();
	}

	/**
	 * The key whose partition the message goes to, or {@code null} if it goes to any. The
	 * messages of an ordering key have one turn, which is kept in one partition. Those of
	 * a fairness key may be in all partitions, or one tenant would have one partition.
	 */
	@Nullable String routingKey() {
		return routingKey(this.entry);
	}

	static @Nullable String routingKey(NewMessage entry) {
		MessageKeys keys = entry.keys();
		if (keys != null && keys.orderingKey() != null) {
			return keys.orderingKey();
		}
		Deduplication deduplication = entry.deduplication();
		return (deduplication != null) ? deduplication.key() : entry.id();
	}

	String id() {
		return (this.message.id() != null) ? this.message.id() : uid();
	}

	/**
	 * When the message is due if it arrives at a time, as the store computes it: no
	 * earlier than that time.
	 */
	Instant due(Instant time) {
		if (this.entry.dueAt() != null) {
			Instant dueAt = this.entry.dueAt().plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
			return dueAt.isAfter(time) ? dueAt : time;
		}
		Duration delay = this.entry.delay();
		return (delay == null || delay.isZero()) ? time : time.plusMillis(1 + delay.plusNanos(999_999).toMillis());
	}

	/**
	 * The request failed; the sender is not notified yet.
	 */
	void fail(Throwable failure) {
		this.observation.fail(failure);
	}

	/**
	 * Ends the observation of the send: the message has arrived, or is kept.
	 */
	public void kept() {
		this.observation.stop();
	}

	/**
	 * Notifies the interceptors that the message will be sent.
	 */
	public void promised() {
		sent(estimate());
	}

	/**
	 * Notifies the interceptors that the message will not be sent, and ends the
	 * observation if it has not ended.
	 * @param failure why
	 */
	public void abandon(Throwable failure) {
		fail(failure);
		failed(failure);
	}

	/**
	 * Ends the observation of the send, and notifies the interceptors of its outcome.
	 * @param reply what became of the request
	 * @param position the position of the message in the request
	 */
	public void sent(SendReply reply, int position) {
		kept();
		sent(result(reply.time(), reply.fates().isEmpty() ? null : reply.fates().get(position)));
	}

	void sent(SendResult result) {
		this.interceptors.sent(this.message, result);
	}

	void sent(PublishResult result) {
		sent(new SendResult(result.topic(), result.id(), result.due(), false));
	}

	void failed(Throwable failure) {
		this.interceptors.failed(this.message, failure);
	}

	/**
	 * The result if the store took it at a time.
	 * @param fate what became of it if it was not just added
	 */
	SendResult result(Instant time, SendReply.@Nullable Fate fate) {
		return result(this.message.queue(), time, fate);
	}

	/**
	 * The result of each group that took it, or did something else with it, at a time.
	 * @param position its position in the request
	 */
	PublishResult result(PublishScript.Result reply, int position) {
		Map<String, SendResult> groups = new LinkedHashMap<>();
		Set<String> leftOut = reply.selections().isEmpty() ? Set.of() : new TreeSet<>();
		for (String group : reply.allGroups()) {
			if (reply.isCopied(group, position)) {
				groups.put(group,
						result(GroupName.of(this.message.queue(), group), reply.time(), reply.fate(group, position)));
			}
			else {
				leftOut.add(group);
			}
		}
		return new PublishResult(this.message.queue(), id(), due(reply.time()), groups, leftOut);
	}

	private SendResult result(String queue, Instant time, SendReply.@Nullable Fate fate) {
		if (fate == null) {
			return new SendResult(queue, id(), due(time), false);
		}
		boolean replaced = fate.outcome() == SendOutcome.REPLACED;
		return new SendResult(queue, replaced ? id() : fate.other(), fate.dueAt(), fate.outcome(),
				replaced ? fate.other() : null, null);
	}

	/**
	 * Why the message is not sent as durably as it has to be.
	 * @param result what became of it
	 * @return why, or {@code null} if it is
	 */
	@Nullable SendNotDurableException shortfall(SendResult result) {
		Durability durability = this.entry.durability();
		DurabilityOutcome outcome = result.durability();
		if (durability == null || !durability.required() || outcome == null || outcome.reached()) {
			return null;
		}
		String where = durability.appendOnlyFile() ? " in their append-only files" : "";
		String file = (durability.appendOnlyFile() && !outcome.appendOnlyFile())
				? ", and the master did not have it in its append-only file" : "";
		String problem = (outcome.problem() != null) ? ": " + outcome.problem() : "";
		return new SendNotDurableException(this.message + " is in Redis, but after " + durability.timeout().toMillis()
				+ " ms " + outcome.replicas() + " of " + durability.replicas() + " replicas had it" + where + file
				+ problem
				+ "; if the master is lost now, the message may be, too. Send it again with the same id to wait again,"
				+ " or use Durability.bestEffort() to see it in the result", result);
	}

	/**
	 * Returns the result if the message is published now.
	 * @return the estimate, which names no group
	 */
	public PublishResult publishEstimate() {
		return new PublishResult(this.message.queue(), id(), due(Instant.now()), Map.of(), Set.of());
	}

	/**
	 * The result if it is sent with an acknowledgement, as far as it is known.
	 */
	SendResult pending() {
		return new SendResult(this.message.queue(), id(), due(Instant.now()), SendOutcome.PENDING, null, null);
	}

	/**
	 * Returns the result if the message is sent now and added.
	 * @return the estimate
	 */
	public SendResult estimate() {
		return new SendResult(this.message.queue(), id(), due(Instant.now()), false);
	}

}
