package io.redelay.queue.admin.engine.message;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.message.FailedAttemptCodec;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes up the cause of death of messages that are buried by a command.
 *
 * @since 0.1.0
 */
public final class MessageBurial {

	private final FailedAttemptCodec attempts;

	private final String instance;

	public MessageBurial(JsonMapper mapper, String instance) {
		this.attempts = new FailedAttemptCodec(mapper);
		this.instance = instance;
	}

	public OptimisticCommands.Planner of(String reason) {
		return (message, time) -> this.attempts.write(new FailedAttempt(time, this.instance, "", DeathReason.BURIED,
				null, reason, null, message.failures(), message.crashes()));
	}

}
