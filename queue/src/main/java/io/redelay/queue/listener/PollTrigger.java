package io.redelay.queue.listener;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Says when a loop has a reason to send a request. Guarded by the loop's lock.
 * <p>
 * There is one for a loop that {@linkplain LeadingTrigger leads} and one for a loop that
 * {@linkplain HelpingTrigger helps} another one on the same queue.
 */
interface PollTrigger {

	/**
	 * Whether the loop should claim as soon as there is room.
	 */
	boolean shouldClaim();

	/**
	 * Whether a request must go out even without room.
	 */
	boolean mustSend();

	/**
	 * Whether the last claim brought something, and the loop claims again soon in any
	 * case, so that the next request may wait for the handlers.
	 */
	boolean claimsSoon();

	/**
	 * Redis woke the loop up.
	 * @param busy whether the loop is busy with a request that may have missed what it is
	 * woken up for
	 */
	void wakeUp(boolean busy);

	/**
	 * The other loop cannot keep up.
	 */
	void call();

	/**
	 * It is time to look for messages.
	 */
	void look();

	/**
	 * The queue, which had nothing at all, has messages.
	 */
	void occupied();

	/**
	 * The lane may be dead.
	 */
	void check();

	/**
	 * A request failed, and the pause after it is over.
	 */
	void retry();

	/**
	 * The loop claims no more for now. What it would be woken up for is for another
	 * instance.
	 */
	void pause();

	/**
	 * The loop goes on with another lane, on which it has claimed nothing yet.
	 */
	void laneReplaced(boolean paused);

	/**
	 * A request goes out.
	 */
	void sent();

	/**
	 * The request was answered, and the next one may go out.
	 */
	void answered();

	/**
	 * A claim was answered.
	 */
	void claimed(Claim claim);

	/**
	 * When to look for messages again if nothing happens before.
	 * @return the delay, or {@code null} if the loop does not look by itself
	 */
	@Nullable Duration nextLook(Claim claim);

	/**
	 * Whether the last claim found nothing at all, and the loop looks rarely because the
	 * queue is watched; see {@link IdleWatch}.
	 */
	boolean isWatched();

	/**
	 * How long Redis may let the lane sleep if there is nothing to claim. The loop may
	 * come back sooner.
	 * @return the longest time, or zero if the lane does not sleep and cannot be woken up
	 */
	Duration longestSleep();

	/**
	 * Whether the loop may claim suspects.
	 */
	boolean claimsSuspects();

	/**
	 * Whether the loop leaves room to other queues, and closes its lane while it has
	 * nothing to do.
	 */
	boolean yields();

	/**
	 * Whether the loop cannot keep up, because its claims are filled.
	 */
	boolean needsHelp();

	/**
	 * What a claim brought.
	 *
	 * @param full whether it brought as many messages as were wanted
	 * @param empty whether it brought none, so that Redis lets the lane sleep
	 * @param suspect whether it brought a suspect, behind which another one may be
	 * @param fast whether handlers are so fast that the loop will soon be back with what
	 * they have finished
	 * @param next after what time something can be claimed, if that is known
	 */
	record Claim(boolean full, boolean empty, boolean suspect, boolean fast, @Nullable Duration next) {

	}

}
