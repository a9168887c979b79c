package io.redelay.queue.claim;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.ResumeScript;
import io.redelay.scheduling.Scheduler;

/**
 * Has another lane take over the messages that a loop holds, and tries again until that
 * is done.
 */
final class LaneResumer {

	private final ClaimLane lane;

	private final LaneHandover recovery;

	private final Scheduler clock;

	private final LoopTimer timer;

	private final Done done;

	/**
	 * Prepares the resumption on a lane that was {@linkplain ClaimLane#begin begun}.
	 * @param done called once, when all possible messages were taken over
	 */
	LaneResumer(ClaimLane lane, LaneHandover recovery, Scheduler clock, LoopTimer timer, Done done) {
		this.lane = lane;
		this.recovery = recovery;
		this.clock = clock;
		this.timer = timer;
		this.done = done;
	}

	void run() {
		long sentNanos = this.clock.nanoTime();
		CompletableFuture<ResumeScript.Reply> resumed;
		try {
			resumed = this.lane.resume();
		}
		catch (Throwable ex) {
			// The loop does nothing else until this is done.
			resumed = CompletableFuture.failedFuture(ex);
		}
		resumed.whenComplete((reply, failure) -> {
			if (failure != null) {
				this.timer.setPause(failure, this::run);
			}
			else if (reply.status() != LaneStatus.OK) {
				// Redis does not know the new lane either.
				this.lane.begin(this.recovery.holdings(), true);
				this.timer.setPause(this::run);
			}
			else {
				this.done.resumed(this.recovery, reply, sentNanos);
			}
		});
	}

	/**
	 * Called when a lane has taken over.
	 */
	@FunctionalInterface
	interface Done {

		void resumed(LaneHandover recovery, ResumeScript.Reply reply, long sentNanos);

	}

}
