package io.redelay.queue.listener;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The trigger of the second loop on a queue: it claims when the first one calls it, and
 * continues while its claims are filled. It does not look by itself and is not woken up
 * by Redis. It closes its lane when it is idle.
 */
final class HelpingTrigger implements PollTrigger {

	private boolean claiming;

	private boolean checking;

	@Override
	public boolean shouldClaim() {
		return this.claiming || this.checking;
	}

	@Override
	public boolean mustSend() {
		return this.checking;
	}

	@Override
	public boolean claimsSoon() {
		return false;
	}

	@Override
	public void wakeUp(boolean busy) {
		// The first loop is woken up, and calls this one if it needs help.
	}

	@Override
	public void call() {
		this.claiming = true;
	}

	@Override
	public void look() {
		// The first loop does.
	}

	@Override
	public void occupied() {
		// The first loop does.
	}

	@Override
	public boolean isWatched() {
		return false;
	}

	@Override
	public void check() {
		this.checking = true;
	}

	@Override
	public void retry() {
		// The flags are still those from before the failure.
	}

	@Override
	public void pause() {
		// No wake-up is sent to this loop.
	}

	@Override
	public void laneReplaced(boolean paused) {
		this.claiming = true;
	}

	@Override
	public void sent() {
		this.checking = false;
	}

	@Override
	public void answered() {
		// This loop gets no wake-ups that a request could miss.
	}

	@Override
	public void claimed(Claim claim) {
		this.claiming = claim.full();
	}

	@Override
	public @Nullable Duration nextLook(Claim claim) {
		return null;
	}

	@Override
	public Duration longestSleep() {
		return Duration.ZERO;
	}

	@Override
	public boolean claimsSuspects() {
		return false;
	}

	@Override
	public boolean yields() {
		return true;
	}

	@Override
	public boolean needsHelp() {
		return false;
	}

}
