package io.redelay.queue.claim;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.script.ClaimReply;

/**
 * Sends the requests of a loop on its lane, which is opened first if need be.
 */
final class ClaimSender {

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private final ClaimLane lane;

	private final PollTrigger trigger;

	private final WakeUps.Subscription subscription;

	ClaimSender(ClaimLane lane, PollTrigger trigger, WakeUps.Subscription subscription) {
		this.lane = lane;
		this.trigger = trigger;
		this.subscription = subscription;
	}

	/**
	 * Sends a request.
	 * @return a future of its reply; fails in place of throwing anything
	 */
	CompletableFuture<ClaimReply> send(PendingClaim request) {
		try {
			return this.lane.open().thenCompose((open) -> claim(request));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<ClaimReply> claim(PendingClaim request) {
		this.subscription.change(this.lane.name());
		Duration sleep = (request.wanted() > 0) ? this.trigger.longestSleep() : Duration.ZERO;
		return this.lane.claim(request.wanted(), MAX_BYTES, request.suspect() != null, sleep, request.settlements());
	}

}
