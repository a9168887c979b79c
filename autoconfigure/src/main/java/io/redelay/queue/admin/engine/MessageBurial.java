package io.redelay.queue.admin.engine;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.store.FailedAttemptCodec;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes up what messages die of that somebody buries.
 */
final class MessageBurial {

	private final FailedAttemptCodec attempts;

	private final String instance;

	MessageBurial(JsonMapper mapper, String instance) {
		this.attempts = new FailedAttemptCodec(mapper);
		this.instance = instance;
	}

	FoundMessages.Planner of(String reason) {
		return (message, time) -> this.attempts.write(new FailedAttempt(time, this.instance, "", DeathReason.BURIED,
				null, reason, null, message.failures(), message.crashes()));
	}

}
