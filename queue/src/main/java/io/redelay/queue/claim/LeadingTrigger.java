package io.redelay.queue.claim;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.redelay.scheduling.SafetyPoll;

/**
 * The trigger of a loop that looks for messages by itself, is woken up by Redis, and
 * claims again until a claim brings nothing.
 */
final class LeadingTrigger implements PollTrigger {

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

	private boolean claiming = true;

	/**
	 * Whether a wake-up came while a request was on its way, which may have missed the
	 * message.
	 */
	private boolean wokenWhileBusy;

	/**
	 * Whether a request must go out even without room: to pass on a wake-up, or because
	 * the lane may be dead.
	 */
	private boolean sending;

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
	}

	@Override
	public boolean shouldClaim() {
		return this.claiming || this.sending;
	}

	@Override
	public boolean mustSend() {
		return this.sending;
	}

	@Override
	public boolean claimsSoon() {
		return this.broughtMessages && !shouldClaim();
	}

	@Override
	public void wakeUp(boolean busy) {
		this.claiming = true;
		this.wokenWhileBusy |= busy;
		this.sending |= !busy;
	}

	@Override
	public void call() {
		this.claiming = true;
	}

	@Override
	public void look() {
		this.claiming = true;
	}

	@Override
	public void occupied() {
		this.occupied = true;
		this.claiming = true;
	}

	@Override
	public boolean isWatched() {
		return this.watched;
	}

	@Override
	public void check() {
		this.sending = true;
	}

	@Override
	public void retry() {
		this.claiming = true;
		this.sending = true;
	}

	@Override
	public void pause() {
		this.sending = true;
	}

	@Override
	public void laneReplaced(boolean paused) {
		this.claiming = true;
		this.sending |= paused;
	}

	@Override
	public void sent() {
		this.wokenWhileBusy = false;
		this.sending = false;
	}

	@Override
	public void answered() {
		this.sending |= this.wokenWhileBusy;
	}

	@Override
	public void claimed(Claim claim) {
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
	public Duration nextLook(Claim claim) {
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
	public Duration longestSleep() {
		return this.watchable.getAsBoolean() ? this.safetyPoll.watchedInterval() : this.safetyPoll.interval();
	}

	@Override
	public boolean claimsSuspects() {
		return true;
	}

	@Override
	public boolean yields() {
		return false;
	}

	@Override
	public boolean needsHelp() {
		return this.filledInARow >= FILLED_IN_A_ROW;
	}

}
