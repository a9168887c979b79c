package io.redelay.queue.claim;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Decides when a loop has a reason to send a request. Guarded by the loop's lock.
 * <p>
 * This is the trigger of a loop that helps another one on the same queue, which has a
 * {@link LeadingTrigger}: the helping loop claims when the first one calls it, and
 * continues while its claims are filled. It does not look by itself, is not woken up by
 * Redis, leaves room and suspects to the first loop, and closes its lane when it is idle.
 */
class PollTrigger {

	/**
	 * Whether the loop should claim as soon as there is room.
	 */
	boolean claiming;

	/**
	 * Whether a request must go out even without room: to pass on a wake-up, or because
	 * the lane may be dead.
	 */
	boolean sending;

	/**
	 * Returns whether the loop should claim as soon as there is room.
	 */
	boolean shouldClaim() {
		return this.claiming || this.sending;
	}

	/**
	 * Returns whether a request must go out even without room.
	 */
	boolean mustSend() {
		return this.sending;
	}

	/**
	 * Returns whether the last claim brought messages and the loop claims again soon in
	 * any case, so that the next request may wait for the handlers.
	 */
	boolean claimsSoon() {
		return false;
	}

	/**
	 * Called when Redis woke the loop up.
	 * @param busy whether the loop is busy with a request that may have missed the
	 * message of the wake-up
	 */
	void wakeUp(boolean busy) {
	}

	/**
	 * Called when the other loop cannot keep up.
	 */
	void call() {
		this.claiming = true;
	}

	/**
	 * Called when it is time to look for messages.
	 */
	void look() {
	}

	/**
	 * Called when the queue, which was empty, has messages.
	 */
	void occupied() {
	}

	/**
	 * Called when the lane may be dead.
	 */
	void check() {
		this.sending = true;
	}

	/**
	 * Called when the pause after a failed request is over.
	 */
	void retry() {
	}

	/**
	 * Called when the loop claims no more for now. Its wake-ups are for another instance.
	 */
	void pause() {
	}

	/**
	 * Called when the loop continues on another lane, on which it has claimed nothing
	 * yet.
	 */
	void laneReplaced(boolean paused) {
		this.claiming = true;
	}

	/**
	 * Called when a request goes out.
	 */
	void sent() {
		this.sending = false;
	}

	/**
	 * Called when the request was answered, and the next one may go out.
	 */
	void answered() {
	}

	/**
	 * Called when a claim was answered.
	 */
	void claimed(Claim claim) {
		this.claiming = claim.full();
	}

	/**
	 * Returns when to look for messages again if no event comes before.
	 * @return the delay, or {@code null} if the loop does not look by itself
	 */
	@Nullable Duration nextLook(Claim claim) {
		return null;
	}

	/**
	 * Returns whether the last claim found the queue empty, and the loop looks rarely
	 * because the queue is watched; see {@link IdleWatch}.
	 */
	boolean isWatched() {
		return false;
	}

	/**
	 * Returns how long Redis may let the lane sleep if there is nothing to claim. The
	 * loop may claim sooner.
	 * @return the longest time, or zero if the lane does not sleep and cannot be woken up
	 */
	Duration longestSleep() {
		return Duration.ZERO;
	}

	/**
	 * Returns whether the loop may claim suspects.
	 */
	boolean claimsSuspects() {
		return false;
	}

	/**
	 * Returns whether the loop leaves room to other queues, and closes its lane while it
	 * is idle.
	 */
	boolean yields() {
		return true;
	}

	/**
	 * Returns whether the loop cannot keep up, because its claims are filled.
	 */
	boolean needsHelp() {
		return false;
	}

	/**
	 * The result of a claim.
	 *
	 * @param full whether it brought as many messages as were wanted
	 * @param empty whether it brought none, so that Redis lets the lane sleep
	 * @param suspect whether it brought a suspect, as there may be another one
	 * @param fast whether handlers are so fast that the loop will soon send their
	 * settlements
	 * @param next after what time a message can be claimed, if that is known
	 */
	record Claim(boolean full, boolean empty, boolean suspect, boolean fast, @Nullable Duration next) {

	}

}
