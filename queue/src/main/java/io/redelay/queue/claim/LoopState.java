package io.redelay.queue.claim;

import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a claim loop. The chapter "Inside" of the guide has the table of
 * transitions, too, and a test compares the two.
 */
enum LoopState {

	/**
	 * Nothing is under way: the next signal may send a request.
	 */
	IDLE,

	/**
	 * A request is on its way, or the loop opens the lane for the request.
	 */
	REQUESTING,

	/**
	 * Redis has carried out the request, and the loop passes the messages of the reply to
	 * the dispatcher.
	 */
	DISPATCHING,

	/**
	 * The request failed, and the loop sends nothing until the pause is over.
	 */
	BACKING_OFF,

	/**
	 * Redis does not know the lane or its last requests, and another lane takes over the
	 * messages that the loop holds.
	 */
	RESUMING,

	/**
	 * A helping loop closes its lane, because the loop is idle.
	 */
	RELEASING_LANE,

	/**
	 * The loop is stopped, holds no message any more, and closes its lane.
	 */
	CLOSING,

	/**
	 * The loop is stopped and its lane is closed. The loop sends another request only if
	 * an abandoned handler acknowledges its message late.
	 */
	CLOSED;

	/**
	 * Returns the states that can follow this one.
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

	/**
	 * Returns whether the loop must not send a request now, because it has not finished
	 * the last one or is changing or closing its lane.
	 */
	boolean isBusy() {
		return this != IDLE && this != CLOSED;
	}

}
