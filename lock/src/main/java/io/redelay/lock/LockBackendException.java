package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import io.redelay.delivery.GiveBackMessage;
import org.jspecify.annotations.Nullable;

/**
 * A lock could not be requested because Redis, or the backend of another provider,
 * failed. If the exception leaves the handler of a message, the message is given back and
 * no attempt is counted.
 *
 * @since 0.1.0
 */
public class LockBackendException extends LockException implements GiveBackMessage {

	private final Duration giveBackDelay;

	public LockBackendException(List<String> names, Duration giveBackDelay, @Nullable Throwable cause) {
		super("The lock " + names + " could not be asked for; the body was not run: " + cause, cause);
		this.giveBackDelay = giveBackDelay;
	}

	@Override
	public Duration getGiveBackDelay() {
		return this.giveBackDelay;
	}

}
