package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How often an idle loop looks for messages although nobody woke it: at an interval, or
 * less often when an instance has so many loops that together they would look close to
 * twenty times a second.
 *
 * @since 0.1.0
 */
public final class SafetyPoll {

	private static final Duration SHARE = Duration.ofMillis(60);

	private final Duration interval;

	private final AtomicInteger loops = new AtomicInteger();

	/**
	 * Creates the budget of an instance.
	 * @param interval how often each loop looks at most
	 */
	public SafetyPoll(Duration interval) {
		this.interval = interval;
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

}
