package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import io.redelay.delivery.GiveBackMessage;
import org.jspecify.annotations.Nullable;

/**
 * A lock was not acquired because another holder has it. If the exception leaves the
 * handler of a message, the message is given back and no attempt is counted.
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
	 * Returns the names of the locks that were requested.
	 * @return the names
	 */
	public List<String> getNames() {
		return this.names;
	}

	@Override
	public Duration getGiveBackDelay() {
		return this.giveBackDelay;
	}

}
