package io.redelay.queue.claim;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.redelay.scheduling.SafetyPoll;

/**
 * The trigger of a loop that looks for messages by itself, is woken up by Redis, and
 * claims again until a claim brings nothing.
 */
final class LeadingTrigger extends PollTrigger {

	/**
	 * How many claims in a row are filled when the loop needs help.
	 */
	private static final int FILLED_IN_A_ROW = 3;

	/**
	 * When to look again after a claim that brought messages, if handlers are expected to
	 * finish them before: until then no wake-up can reach the loop.
	 */
	private static final Duration LOOK_AFTER_MESSAGES = Duration.ofMillis(5);

	private final SafetyPoll safetyPoll;

	/**
	 * Whether an {@link IdleWatch} can look at the queue.
	 */
	private final BooleanSupplier watchable;

	/**
	 * Whether a wake-up came while a request was on its way, which may have missed the
	 * message.
	 */
	private boolean wokenWhileBusy;

	private boolean broughtMessages;

	private int filledInARow;

	/**
	 * Whether the loop has once waited for a random part of the interval.
	 */
	private boolean spread;

	private boolean watched;

	/**
	 * Whether the watch found messages since the last claim. If a claim gets none, as
	 * while the queue is paused, the watch would find them again and again.
	 */
	private boolean occupied;

	LeadingTrigger(SafetyPoll safetyPoll, BooleanSupplier watchable) {
		this.safetyPoll = safetyPoll;
		this.watchable = watchable;
		this.claiming = true;
	}

	@Override
	boolean claimsSoon() {
		return this.broughtMessages && !shouldClaim();
	}

	@Override
	void wakeUp(boolean busy) {
		this.claiming = true;
		this.wokenWhileBusy |= busy;
		this.sending |= !busy;
	}

	@Override
	void look() {
		this.claiming = true;
	}

	@Override
	void occupied() {
		this.occupied = true;
		this.claiming = true;
	}

	@Override
	boolean isWatched() {
		return this.watched;
	}

	@Override
	void retry() {
		this.claiming = true;
		this.sending = true;
	}

	@Override
	void pause() {
		this.sending = true;
	}

	@Override
	void laneReplaced(boolean paused) {
		super.laneReplaced(paused);
		this.sending |= paused;
	}

	@Override
	void sent() {
		super.sent();
		this.wokenWhileBusy = false;
	}

	@Override
	void answered() {
		this.sending |= this.wokenWhileBusy;
	}

	@Override
	void claimed(Claim claim) {
		this.watched = false;
		this.filledInARow = claim.full() ? this.filledInARow + 1 : 0;
		Duration next = claim.next();
		boolean more = claim.suspect() || this.wokenWhileBusy || (next != null && next.isZero());
		boolean cannotBeWoken = !claim.empty() && !claim.fast();
		this.claiming = claim.full() || more || cannotBeWoken;
		this.broughtMessages = !claim.empty();
	}

	/**
	 * After a claim that brought nothing, the next look is at the safety poll, or rarely
	 * if the queue is empty and watched. The first look is after a random part of the
	 * interval, so that loops that start together do not stay in step.
	 */
	@Override
	Duration nextLook(Claim claim) {
		Duration latest = LOOK_AFTER_MESSAGES;
		if (claim.empty()) {
			this.watched = claim.next() == null && !this.occupied && this.watchable.getAsBoolean();
			this.occupied = false;
			Duration interval = this.watched ? this.safetyPoll.watchedInterval() : this.safetyPoll.interval();
			latest = this.spread ? interval : this.safetyPoll.randomPart(interval);
			this.spread = true;
		}
		Duration next = claim.next();
		return (next != null && next.compareTo(latest) < 0) ? next : latest;
	}

	@Override
	Duration longestSleep() {
		return this.watchable.getAsBoolean() ? this.safetyPoll.watchedInterval() : this.safetyPoll.interval();
	}

	@Override
	boolean claimsSuspects() {
		return true;
	}

	@Override
	boolean yields() {
		return false;
	}

	@Override
	boolean needsHelp() {
		return this.filledInARow >= FILLED_IN_A_ROW;
	}

}
