package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

/**
 * How often an idle loop looks for messages without a wake-up: at an interval, or less
 * often when an instance has so many loops that together they would look close to twenty
 * times a second. A loop whose queue has no messages at all looks far less often if one
 * request watches all such queues at the interval.
 *
 * @since 0.1.0
 */
public final class SafetyPoll {

	private static final Duration SHARE = Duration.ofMillis(60);

	/**
	 * All loops whose queues are watched look together once in this time.
	 */
	private static final Duration WATCHED_SHARE = Duration.ofSeconds(4);

	private final Duration interval;

	private final DoubleSupplier random;

	private final AtomicInteger loops = new AtomicInteger();

	/**
	 * Creates the budget of an instance.
	 * @param interval how often each loop looks at most
	 */
	public SafetyPoll(Duration interval) {
		this(interval, () -> ThreadLocalRandom.current().nextDouble());
	}

	/**
	 * Creates the budget of an instance.
	 * @param interval how often each loop looks at most
	 * @param random gives numbers from 0 to 1, for the random parts of intervals
	 */
	public SafetyPoll(Duration interval, DoubleSupplier random) {
		this.interval = interval;
		this.random = random;
	}

	public void join() {
		this.loops.incrementAndGet();
	}

	public void leave() {
		this.loops.decrementAndGet();
	}

	public Duration interval() {
		Duration budget = SHARE.multipliedBy(this.loops.get());
		return (budget.compareTo(this.interval) > 0) ? budget : this.interval;
	}

	/**
	 * Returns how often all queues that have no messages are looked at together.
	 * @return the interval
	 */
	public Duration watchInterval() {
		return this.interval;
	}

	/**
	 * Returns how often a loop looks whose queue is watched.
	 * @return the interval, not shorter than {@link #interval()}
	 */
	public Duration watchedInterval() {
		Duration budget = WATCHED_SHARE.multipliedBy(this.loops.get());
		return (budget.compareTo(interval()) > 0) ? budget : interval();
	}

	/**
	 * Returns a random part of an interval, so that loops that start together do not look
	 * together for ever.
	 * @param interval the interval
	 * @return the part, longer than zero
	 */
	public Duration randomPart(Duration interval) {
		return Duration.ofNanos((long) (this.random.getAsDouble() * interval.toNanos()) + 1);
	}

}
