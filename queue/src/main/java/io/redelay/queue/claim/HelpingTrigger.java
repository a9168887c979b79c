package io.redelay.queue.claim;

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
	public void call() {
		this.claiming = true;
	}

	@Override
	public void check() {
		this.checking = true;
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
	public void claimed(Claim claim) {
		this.claiming = claim.full();
	}

}
