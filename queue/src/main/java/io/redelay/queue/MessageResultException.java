package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * A message has no result for its sender, which waits for it: it died, was cancelled,
 * expired or was removed, or what its handler returned was not kept or cannot be read.
 *
 * @since 0.1.0
 */
public class MessageResultException extends QueueException {

	private final MessageState state;

	private final transient @Nullable FailedAttempt death;

	public MessageResultException(String message, MessageState state, @Nullable FailedAttempt death,
			@Nullable Throwable cause) {
		super(message, cause);
		this.state = state;
		this.death = death;
	}

	/**
	 * Returns where the message is: {@link MessageState#DEAD}, with what it died of;
	 * {@link MessageState#COMPLETED} if it was handled; or {@link MessageState#UNKNOWN}
	 * if it is nowhere.
	 * @return the state
	 */
	public MessageState getState() {
		return this.state;
	}

	/**
	 * Returns what the message died of.
	 * @return its last attempt, or {@code null} if it is not dead, or that cannot be read
	 */
	public @Nullable FailedAttempt getDeath() {
		return this.death;
	}

}
