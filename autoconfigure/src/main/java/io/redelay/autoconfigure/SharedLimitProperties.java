package io.redelay.autoconfigure;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A limit that several queues can share.
 *
 * @param rate How many messages of all these queues are claimed together in a window,
 * like 100/1s or 100/1s bursting. By default any number.
 * @param maxInFlight How many messages of all these queues are held at the same time. By
 * default any number.
 * @since 0.1.0
 */
public record SharedLimitProperties(@Nullable String rate, @Nullable Integer maxInFlight) {

	ClaimLimits.Shared toShared(String name) {
		String where = "redelay.queue.limits." + name;
		Assert.isTrue(name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,127}"),
				() -> "'" + where + "' must have a name of letters, digits, '.', '_' and '-'");
		Assert.isTrue(this.rate != null || this.maxInFlight != null,
				() -> "'" + where + "' must have a rate or a max-in-flight");
		Assert.isTrue(this.maxInFlight == null || this.maxInFlight >= 1,
				() -> "'" + where + ".max-in-flight' must be at least 1: " + this.maxInFlight);
		try {
			return new ClaimLimits.Shared(name, (this.rate != null) ? RateLimit.parse(this.rate) : null,
					this.maxInFlight);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'" + where + "' cannot work: " + ex.getMessage() + ". Write " + RateLimit.FORM, ex);
		}
	}

}
