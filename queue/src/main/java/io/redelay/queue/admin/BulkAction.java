package io.redelay.queue.admin;

import java.util.EnumSet;
import java.util.Set;

import io.redelay.queue.MessageState;

/**
 * What a {@link BulkJob} does with each message.
 *
 * @since 0.1.0
 */
public enum BulkAction {

	/**
	 * Cancels it, as {@link MessageAdmin#cancel} does. Dead messages, and those kept as
	 * completed, are removed only if the filter names their state.
	 */
	CANCEL(EnumSet.of(MessageState.SCHEDULED, MessageState.READY, MessageState.IN_FLIGHT),
			EnumSet.of(MessageState.DEAD, MessageState.COMPLETED)),

	/**
	 * Makes a dead message ready again, as {@link DeadLetterAdmin#redrive} does.
	 */
	REDRIVE(EnumSet.of(MessageState.DEAD), EnumSet.noneOf(MessageState.class)),

	/**
	 * Makes a scheduled message due at once, after those that are ready. One that has
	 * failed and waits for its next attempt skips its backoff, unless it has failed since
	 * the job began: a job runs a message once.
	 */
	RUN(EnumSet.of(MessageState.SCHEDULED), EnumSet.noneOf(MessageState.class)),

	/**
	 * Lets a message that waits die unhandled, as {@link MessageAdmin#bury} does.
	 */
	BURY(EnumSet.of(MessageState.SCHEDULED, MessageState.READY), EnumSet.noneOf(MessageState.class)),

	/**
	 * Removes a message that waits or is dead, as {@link MessageAdmin#delete} does, and
	 * one that is kept as completed only if the filter names that state.
	 */
	DELETE(EnumSet.of(MessageState.SCHEDULED, MessageState.READY, MessageState.DEAD),
			EnumSet.of(MessageState.COMPLETED)),

	/**
	 * Changes a message that waits, as {@link MessageAdmin#change} does.
	 */
	CHANGE(EnumSet.of(MessageState.SCHEDULED, MessageState.READY), EnumSet.noneOf(MessageState.class)),

	/**
	 * Makes a message that waits due at another time, as {@link MessageAdmin#reschedule}
	 * does.
	 */
	RESCHEDULE(EnumSet.of(MessageState.SCHEDULED, MessageState.READY), EnumSet.noneOf(MessageState.class));

	@SuppressWarnings("ImmutableEnumChecker") // an unmodifiable copy
	private final Set<MessageState> usual;

	@SuppressWarnings("ImmutableEnumChecker") // an unmodifiable copy
	private final Set<MessageState> named;

	BulkAction(Set<MessageState> usual, Set<MessageState> named) {
		this.usual = Set.copyOf(usual);
		this.named = Set.copyOf(named);
	}

	/**
	 * Returns the states of messages on which it acts unless a filter names states.
	 * @return the states
	 */
	public Set<MessageState> states() {
		return this.usual;
	}

	/**
	 * Returns whether it can act on messages in a state.
	 * @param state the state
	 * @return whether a filter may name it
	 */
	public boolean takes(MessageState state) {
		return this.usual.contains(state) || this.named.contains(state);
	}

}
