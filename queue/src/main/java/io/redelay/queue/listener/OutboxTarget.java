package io.redelay.queue.listener;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Where notes of an outbox go, while some of those that the relay has read are still
 * there: they are under way, or the target took none of them.
 * <p>
 * The relay guards it.
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
	 * Up to where its notes are under way.
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
	 * Whether it took none the last time.
	 */
	boolean hasRefused() {
		return this.refused;
	}

	/**
	 * When it is tried again.
	 */
	long dueNanos() {
		return this.dueNanos;
	}

	/**
	 * Why it took none, as the log has it.
	 */
	@Nullable String problem() {
		return this.problem;
	}

	void problem(String problem) {
		this.problem = problem;
	}

	/**
	 * Its notes up to a place are under way.
	 */
	void begin(@Nullable String end) {
		this.end = end;
		this.underWay = true;
	}

	/**
	 * Its notes up to a place are done.
	 */
	void passed(@Nullable String end, long nowNanos) {
		this.after = end;
		this.underWay = false;
		this.refused = false;
		tryAt(nowNanos);
	}

	/**
	 * It did not take all notes.
	 * @param before the note before the first one that it did not take
	 * @return how long it is left alone
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
	 * The pause after this one.
	 */
	static Duration longer(Duration pause) {
		Duration longer = pause.multipliedBy(2);
		return (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
	}

	/**
	 * What tells targets apart: a queue that takes no messages may well count the ends of
	 * those of a bundle.
	 *
	 * @param kind the kind of the notes
	 * @param queue the queue they go to, as the store knows it; nothing if they do not
	 * say
	 */
	record Name(char kind, String queue) {

		@Override
		public String toString() {
			return this.queue.isEmpty() ? "of the kind '" + this.kind + "'" : "for the queue '" + this.queue + "'";
		}

	}

}
