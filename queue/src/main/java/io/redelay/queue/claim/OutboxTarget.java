package io.redelay.queue.claim;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A target of an outbox's notes, while notes for it that the relay has read are still
 * there: they are under way, or the target refused them.
 * <p>
 * Guarded by the lock of the relay.
 */
final class OutboxTarget {

	static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

	static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private final Name name;

	/**
	 * All notes of the target up to this one are done; {@code null} for none.
	 */
	private @Nullable String after;

	/**
	 * The last of its notes that are under way.
	 */
	private @Nullable String end;

	private boolean underWay;

	private boolean refused;

	private long dueNanos;

	private Duration pause = SHORTEST_PAUSE;

	private @Nullable String problem;

	OutboxTarget(Name name) {
		this.name = name;
	}

	Name name() {
		return this.name;
	}

	@Nullable String after() {
		return this.after;
	}

	@Nullable String end() {
		return this.end;
	}

	boolean isUnderWay() {
		return this.underWay;
	}

	/**
	 * Returns whether it refused notes the last time.
	 */
	boolean hasRefused() {
		return this.refused;
	}

	/**
	 * Returns when it is tried again.
	 */
	long dueNanos() {
		return this.dueNanos;
	}

	/**
	 * Returns why it refused notes, as logged.
	 */
	@Nullable String problem() {
		return this.problem;
	}

	void problem(String problem) {
		this.problem = problem;
	}

	/**
	 * Records that its notes up to a place are under way.
	 */
	void begin(@Nullable String end) {
		this.end = end;
		this.underWay = true;
	}

	/**
	 * Records that its notes up to a place are done.
	 */
	void passed(@Nullable String end, long nowNanos) {
		this.after = end;
		this.underWay = false;
		this.refused = false;
		tryAt(nowNanos);
	}

	/**
	 * Records that it did not take all notes.
	 * @param before the note before the first one that it did not take
	 * @return how long the relay pauses for it
	 */
	Duration refused(@Nullable String before, long nowNanos) {
		Duration present = this.pause;
		this.after = before;
		this.underWay = false;
		this.refused = true;
		this.dueNanos = nowNanos + present.toNanos();
		this.pause = longer(present);
		return present;
	}

	void tryAt(long nanos) {
		this.dueNanos = nanos;
		this.pause = SHORTEST_PAUSE;
	}

	/**
	 * Returns the pause after this one.
	 */
	static Duration longer(Duration pause) {
		Duration longer = pause.multipliedBy(2);
		return (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
	}

	/**
	 * Distinguishes targets by kind and queue: a queue that takes no messages may still
	 * count the ended members of a bundle.
	 *
	 * @param kind the kind of the notes
	 * @param queue the queue they go to, as the store knows it; empty if they name none
	 */
	record Name(char kind, String queue) {

		@Override
		public String toString() {
			return this.queue.isEmpty() ? "of the kind '" + this.kind + "'" : "for the queue '" + this.queue + "'";
		}

	}

}
