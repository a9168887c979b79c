package io.redelay.queue.inlet;

import java.time.Instant;

import io.redelay.queue.DeathReason;
import io.redelay.queue.message.FailedAttemptCodec;

/**
 * Writes why entries of inlets cannot be sent.
 *
 * @param codec writes it
 * @param instance what people call this instance
 * @since 0.1.0
 */
public record RefusalCauses(FailedAttemptCodec codec, String instance) {

	String write(Instant time, String why) {
		return this.codec.unhandled(time, this.instance, DeathReason.REFUSED, why, 0, 0);
	}

}
