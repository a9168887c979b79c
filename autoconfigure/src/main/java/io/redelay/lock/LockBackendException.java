package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import io.redelay.delivery.GiveBackMessage;
import org.jspecify.annotations.Nullable;

/**
 * A lock could not be asked for because Redis, or what else keeps it, failed. If it
 * leaves the handler of a message, the message is given back.
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
