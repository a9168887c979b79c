package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import io.redelay.delivery.GiveBackMessage;
import org.jspecify.annotations.Nullable;

/**
 * A lock could not be had because another held it. If it leaves the handler of a message,
 * the message is given back.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends LockException implements GiveBackMessage {

	private final List<String> names;

	private final Duration giveBackDelay;

	public LockNotAcquiredException(String message, List<String> names, Duration giveBackDelay,
			@Nullable Throwable cause) {
		super(message, cause);
		this.names = List.copyOf(names);
		this.giveBackDelay = giveBackDelay;
	}

	/**
	 * What was to be locked.
	 * @return the names of the locks
	 */
	public List<String> getNames() {
		return this.names;
	}

	@Override
	public Duration getGiveBackDelay() {
		return this.giveBackDelay;
	}

}
