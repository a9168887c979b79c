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
	 * It is not handled any more, as {@link QueueAdmin#cancel} has it. Of dead messages
	 * only if the filter names that state.
	 */
	CANCEL(EnumSet.of(MessageState.SCHEDULED, MessageState.READY, MessageState.IN_FLIGHT),
			EnumSet.of(MessageState.DEAD, MessageState.COMPLETED)),

	/**
	 * It is dead and lives again, as {@link QueueAdmin#redrive} has it.
	 */
	REDRIVE(EnumSet.of(MessageState.DEAD), EnumSet.noneOf(MessageState.class)),

	/**
	 * It is scheduled and is due at once, behind what is ready.
	 */
	RUN(EnumSet.of(MessageState.SCHEDULED), EnumSet.noneOf(MessageState.class)),

	/**
	 * It waits and dies unhandled, as {@link QueueAdmin#bury} has it.
	 */
	BURY(EnumSet.of(MessageState.SCHEDULED, MessageState.READY), EnumSet.noneOf(MessageState.class)),

	/**
	 * It waits or is dead and is removed, as {@link QueueAdmin#delete} has it. Of
	 * completed messages only if the filter names that state.
	 */
	DELETE(EnumSet.of(MessageState.SCHEDULED, MessageState.READY, MessageState.DEAD),
			EnumSet.of(MessageState.COMPLETED)),

	/**
	 * It waits and is changed, as {@link QueueAdmin#change} has it.
	 */
	CHANGE(EnumSet.of(MessageState.SCHEDULED, MessageState.READY), EnumSet.noneOf(MessageState.class)),

	/**
	 * It waits and is due at another time, as {@link QueueAdmin#reschedule} has it.
	 */
	RESCHEDULE(EnumSet.of(MessageState.SCHEDULED, MessageState.READY), EnumSet.noneOf(MessageState.class));

	@SuppressWarnings("ImmutableEnumChecker") // a copy that nobody can change
	private final Set<MessageState> usual;

	@SuppressWarnings("ImmutableEnumChecker") // a copy that nobody can change
	private final Set<MessageState> named;

	BulkAction(Set<MessageState> usual, Set<MessageState> named) {
		this.usual = Set.copyOf(usual);
		this.named = Set.copyOf(named);
	}

	/**
	 * The states of messages that it is done to unless a filter names states.
	 * @return the states
	 */
	public Set<MessageState> states() {
		return this.usual;
	}

	/**
	 * Whether it can be done to messages in a state.
	 * @param state the state
	 * @return whether a filter may name it
	 */
	public boolean takes(MessageState state) {
		return this.usual.contains(state) || this.named.contains(state);
	}

}
