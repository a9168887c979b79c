package io.redelay.queue.admin.engine.message;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.message.FailedAttemptCodec;

/**
 * Makes up the cause of death of messages that are buried by a command.
 *
 * @since 0.1.0
 */
public record MessageBurial(FailedAttemptCodec attempts, String instance) {

	public OptimisticCommands.Planner of(String reason) {
		return (message, time) -> this.attempts.write(new FailedAttempt(time, this.instance, "", DeathReason.BURIED,
				null, reason, null, message.failures(), message.crashes()));
	}

}
