package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;

import org.springframework.util.Assert;

/**
 * A request to begin and to end runs that have an idempotency key.
 *
 * @param owner the owner of the runs, a name that nobody had before
 * @param seq the number of the request among those of the owner, which has one on the
 * wire at a time
 * @param lease for how long the owner's runs keep their keys from now on; zero if the
 * owner ends, which frees the keys of the runs that it leaves behind
 * @param steps what happens, in this order, at most {@value #MAX_STEPS}
 * @since 0.1.0
 */
public record RunRequest(String owner, long seq, Duration lease, List<RunStep> steps) {

	/**
	 * How many steps one request can have.
	 */
	public static final int MAX_STEPS = 200;

	/**
	 * Checks the request.
	 */
	public RunRequest {
		Assert.isTrue(seq > 0, () -> "'seq' must be positive: " + seq);
		Assert.isTrue(!lease.isNegative(), () -> "'lease' must not be negative: " + lease);
		Assert.isTrue(steps.size() <= MAX_STEPS, () -> "'steps' must be at most " + MAX_STEPS + ": " + steps.size());
	}

}
