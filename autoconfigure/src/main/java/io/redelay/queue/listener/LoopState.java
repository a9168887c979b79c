package io.redelay.queue.listener;

import java.util.EnumSet;
import java.util.Set;

/**
 * What a claim loop is doing. The table of transitions is in the chapter "Inside" of the
 * guide, too; a test compares them.
 */
enum LoopState {

	/**
	 * Nothing is under way: the next signal may send a request.
	 */
	IDLE,

	/**
	 * A request is on its way, or the lane is being opened for it.
	 */
	REQUESTING,

	/**
	 * The request was answered, and what it brought is handed to the dispatcher.
	 */
	DISPATCHING,

	/**
	 * The request failed, and nothing is sent until the pause is over.
	 */
	BACKING_OFF,

	/**
	 * Redis does not know the lane or its last requests, and another lane takes over what
	 * is held.
	 */
	RESUMING,

	/**
	 * A helping loop closes its lane, as it has nothing to do.
	 */
	RELEASING_LANE,

	/**
	 * The loop is stopped, nothing is held any more, and its lane is being closed.
	 */
	CLOSING,

	/**
	 * The loop is stopped and its lane is closed. Only a handler that was given up and
	 * acknowledges its message late has another request sent.
	 */
	CLOSED;

	/**
	 * Which states can follow.
	 */
	Set<LoopState> next() {
		return switch (this) {
			case IDLE -> EnumSet.of(REQUESTING, RELEASING_LANE, CLOSING);
			case REQUESTING -> EnumSet.of(IDLE, DISPATCHING, BACKING_OFF, RESUMING);
			case DISPATCHING, BACKING_OFF, RESUMING, RELEASING_LANE -> EnumSet.of(IDLE);
			case CLOSING -> EnumSet.of(CLOSED);
			case CLOSED -> EnumSet.of(REQUESTING);
		};
	}

	boolean canBecome(LoopState next) {
		return this.next().contains(next);
	}

	/**
	 * Whether no request may be sent now, as another one, or what it brought, is still
	 * under way.
	 */
	boolean isBusy() {
		return this != IDLE && this != CLOSED;
	}

}
