package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A request to begin and to end runs that have an idempotency key.
 *
 * @param owner the owner of the runs, a name that was never used before
 * @param seq the number of the request among those of the owner, which has one on the
 * wire at a time
 * @param answered the number of the owner's last request that was answered, or 0
 * @param former the owner that this one replaces, and whose runs end; {@code null} if
 * there is none
 * @param lease for how long the owner's runs keep their keys from now on; zero if the
 * owner ends, which frees the keys of the runs that it leaves behind
 * @param steps the steps, in this order, at most {@value #MAX_STEPS}
 * @since 0.1.0
 */
public record RunRequest(String owner, long seq, long answered, @Nullable String former, Duration lease,
		List<RunStep> steps) {

	/**
	 * How many steps one request can have.
	 */
	public static final int MAX_STEPS = 200;

	/**
	 * Checks the request.
	 */
	public RunRequest {
		Assert.isTrue(seq > 0, () -> "'seq' must be positive: " + seq);
		Assert.isTrue(answered >= 0 && answered < seq, () -> "'answered' must be less than " + seq + ": " + answered);
		Assert.isTrue(!lease.isNegative(), () -> "'lease' must not be negative: " + lease);
		Assert.isTrue(steps.size() <= MAX_STEPS, () -> "'steps' must be at most " + MAX_STEPS + ": " + steps.size());
	}

}
