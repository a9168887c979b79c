package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageDeadline;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;

/**
 * What is known of a message.
 */
final class Story {

	final String uid;

	final String sender;

	final MessageKeys keys;

	final String id;

	final Deduplication deduplication;

	/**
	 * How long after its due time its handling may begin, or -1.
	 */
	final long timeToLive;

	/**
	 * How long after its arrival it may be handled, or -1.
	 */
	final long deadline;

	/**
	 * Whether nothing is kept of it when it expires.
	 */
	final boolean dropped;

	final boolean ordered;

	final boolean delayed;

	final long delay;

	/**
	 * The number of the event.
	 */
	final long invokedAt;

	/**
	 * Since which event it may have been there: a tick is there before it is handled.
	 */
	long thereSince;

	/**
	 * How many commands gave it another due time, or may have.
	 */
	int reschedules;

	/**
	 * When it was sent, by the clock that does not jump.
	 */
	final long invoked;

	/**
	 * When it was sent, by the clock of the server.
	 */
	final long sentBy;

	final long dueByElapsed;

	final List<Handling> successes = new ArrayList<>();

	final List<Handling> running = new ArrayList<>();

	/**
	 * The names it had, one after the other.
	 */
	final List<String> names = new ArrayList<>();

	/**
	 * The messages that its handlers sent with an acknowledgement.
	 */
	final List<Story> next = new ArrayList<>();

	/**
	 * The instances that handle it, and send another one with the acknowledgement.
	 */
	final Set<String> stepping = new HashSet<>();

	/**
	 * The message whose acknowledgement sends it.
	 */
	Story previous;

	long earliest;

	/**
	 * The number of the event by which its send was acknowledged, or 0.
	 */
	long sentAt;

	/**
	 * When it was there at the latest, by the clock of the server.
	 */
	long thereAt;

	/**
	 * By which jobs choose it, or {@code null}.
	 */
	final String kind;

	/**
	 * How many jobs may have changed it.
	 */
	int changes;

	/**
	 * How many times it was redriven at most.
	 */
	int redrives;

	/**
	 * How many times it was given to its group once more, at most.
	 */
	int replays;

	boolean mayBeBuried;

	/**
	 * Whether the filter of its group leaves it out if it is published again.
	 */
	boolean mayBeLeftOut;

	/**
	 * When handlers began, by the clock of the server.
	 */
	final List<Long> beganAt = new ArrayList<>();

	boolean refused;

	boolean mayBeCancelled;

	boolean isRescheduled;

	long rescheduledAt;

	boolean cancelled;

	/**
	 * Whether it may wait in an outbox before it comes to its queue.
	 */
	boolean relayed;

	/**
	 * The messages whose ends it waits for.
	 */
	List<Story> members = List.of();

	/**
	 * The message that replaced it.
	 */
	Story replacedBy;

	/**
	 * The message whose place it took, or which it was gathered with.
	 */
	Story joined;

	/**
	 * The first of those with which it was handled as one message.
	 */
	Story first = this;

	/**
	 * The last checkpoint that a handler was told to be saved, and the last that one
	 * tried to save.
	 */
	int checkpoint;

	int checkpoints;

	Handling failure;

	long failedAt;

	long failedAtEvent;

	/**
	 * When the instance that handled it was killed, or -1.
	 */
	long lostAt = -1;

	/**
	 * When a handler ended it last.
	 */
	long endedAt;

	int begun;

	int failed;

	int done;

	/**
	 * How often a handler was done that sent another one with the acknowledgement.
	 */
	int doneWithNext;

	/**
	 * How often an instance may have been killed between the end of its handler and the
	 * acknowledgement.
	 */
	int unacknowledged;

	Story(String sender, Messages.Sending sending, boolean ordered, Sent sent) {
		NewMessage message = sending.message();
		Envelope.Lifetime lifetime = sending.lifetime();
		this.kind = sending.kind();
		this.ordered = ordered;
		this.uid = message.uid();
		this.names.add(this.uid);
		this.sender = sender;
		this.keys = (message.keys() != null) ? message.keys() : MessageKeys.NONE;
		this.id = message.id();
		this.deduplication = message.deduplication();
		this.timeToLive = (lifetime.timeToLive() != null) ? lifetime.timeToLive().toMillis() : -1;
		MessageDeadline last = lifetime.deadline();
		this.deadline = (last != null && last.after() != null) ? last.after().toMillis() : -1;
		this.dropped = lifetime.dropExpired();
		this.delayed = message.delay() != null;
		this.delay = this.delayed ? message.delay().toMillis() : 0;
		this.invoked = sent.elapsed();
		this.dueByElapsed = this.invoked + this.delay;
		this.invokedAt = sent.event();
		this.thereSince = this.invokedAt;
		this.sentBy = sent.millis();
		this.earliest = this.sentBy + this.delay;
	}

	/**
	 * Returns whether it has an id.
	 */
	boolean has(String id) {
		return id != null && id.equals(this.id);
	}

	/**
	 * Returns whether both were sent with the same key to deduplicate by, in the same
	 * way.
	 */
	boolean hasKeyOf(Story other) {
		return this.deduplication != null && other.deduplication != null
				&& this.deduplication.getClass() == other.deduplication.getClass()
				&& this.deduplication.key().equals(other.deduplication.key());
	}

	String orderingKey() {
		return this.keys.orderingKey();
	}

	boolean sentBefore(Story later) {
		return !this.relayed && !later.relayed && (this.sentAt < later.invokedAt
				|| (this.sender.equals(later.sender) && this.ordered && later.ordered));
	}

	/**
	 * Returns whether it may have got a name that nobody was given.
	 */
	boolean mayHaveOtherName() {
		return this.changes > 0 || this.replays > 0 || this.deduplication instanceof Deduplication.Aggregate;
	}

	/**
	 * Returns whether the last handler that was done with it was one of an instance.
	 */
	boolean doneLastBy(String instance) {
		return !this.successes.isEmpty() && this.successes.get(this.successes.size() - 1).instance().equals(instance);
	}

	/**
	 * Returns whether it may live once more after its end.
	 */
	boolean mayComeBack() {
		return this.redrives > 0 || this.replays > 0;
	}

	/**
	 * Returns whether it may end by a time.
	 */
	boolean mayExpire() {
		return this.timeToLive >= 0 || this.deadline >= 0;
	}

	/**
	 * Returns when its handling may not begin any more, for all that is known, by the
	 * clock of the server.
	 * @param there when it was there
	 */
	long lastBegin(long there) {
		long last = (this.timeToLive >= 0) ? there + this.delay + this.timeToLive : Long.MAX_VALUE;
		return (this.deadline >= 0) ? Math.min(last, there + this.deadline) : last;
	}

	/**
	 * Returns whether it waits for messages with the same key when it is sent.
	 */
	boolean waitsForOthers() {
		return this.deduplication != null && this.deduplication.waitTime() != null;
	}

	/**
	 * A call of a handler.
	 *
	 * @param claimed when its message was claimed at the earliest, by the clock that does
	 * not jump
	 */
	record Handling(String instance, long claimed) {
	}

	/**
	 * When something was sent.
	 *
	 * @param event the number of the event
	 * @param elapsed by the clock that does not jump
	 * @param millis by the clock of the server
	 */
	record Sent(long event, long elapsed, long millis) {
	}

}
