package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SenderMemory;
import io.redelay.scheduling.Scheduler;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How many answered requests are remembered, so that they can be repeated when Redis goes
 * back in time: after a failover to a replica that lagged behind, or a restart with older
 * data.
 *
 * @param duration How long sends, settlements and commands are remembered, so that they
 * can be repeated if Redis goes back in time. 0 remembers nothing.
 * @param maxSize Largest total size of the remembered requests. The oldest is forgotten
 * first.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.replay")
record QueueReplayProperties(@DefaultValue("10s") Duration duration, @DefaultValue("16MB") DataSize maxSize) {

	private static final Duration LONGEST = SenderMemory.LONGEST_RESEND;

	/**
	 * Checks the values.
	 */
	public QueueReplayProperties {
		if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"'redelay.queue.replay.duration' must be 0 to " + LONGEST.toMinutes() + "m: " + duration);
		}
		if (maxSize.isNegative()) {
			throw new IllegalArgumentException("'redelay.queue.replay.max-size' must not be negative: " + maxSize);
		}
	}

	ReplayMemory toMemory(Rollback.Listener listener, Scheduler scheduler) {
		return new ReplayMemory(this.duration, this.maxSize.toBytes(), listener, scheduler);
	}

}
