package io.redelay.queue.claim;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.ResumeScript;

/**
 * Takes over the messages of an earlier lane on a new one, in steps that can be repeated.
 * After a failure, {@link #run()} goes on with the step that failed.
 */
final class LaneTransfer {

	private final ResumeScript script;

	private final String queue;

	private final Duration lease;

	private final String former;

	private final String opened;

	private final List<ResumeScript.Holding> holdings;

	private final boolean wentBack;

	private final long before;

	private final Set<String> refused = new HashSet<>();

	private long givenBack;

	private int done;

	private int steps;

	/**
	 * Creates a takeover.
	 * @param former the lane to take over from
	 * @param opened the new lane
	 * @param wentBack whether the store went back in time; otherwise the lease ran out
	 * @param before the number of the last request of the earlier lane
	 */
	LaneTransfer(ResumeScript script, String queue, Duration lease, String former, String opened,
			List<ResumeScript.Holding> holdings, boolean wentBack, long before) {
		this.script = script;
		this.queue = queue;
		this.lease = lease;
		this.former = former;
		this.opened = opened;
		this.holdings = holdings;
		this.wentBack = wentBack;
		this.before = before;
	}

	/**
	 * Returns the name of the new lane.
	 */
	String opened() {
		return this.opened;
	}

	/**
	 * Returns the number of the last request that was answered.
	 */
	long number() {
		return this.before + this.steps;
	}

	/**
	 * Takes the steps that are left.
	 * @return the result of all steps together, or the first reply that is not OK
	 */
	CompletableFuture<ResumeScript.Reply> run() {
		int next = Math.min(this.holdings.size(), this.done + ResumeScript.Request.MAX_HOLDINGS);
		boolean last = next == this.holdings.size();
		return this.script
			.run(this.queue,
					new ResumeScript.Request(this.opened, number() + 1, this.lease, this.former, this.wentBack, last,
							List.copyOf(this.holdings.subList(this.done, next))))
			.thenCompose((reply) -> {
				if (reply.status() != LaneStatus.OK) {
					return CompletableFuture.completedFuture(reply);
				}
				this.refused.addAll(reply.refused());
				this.givenBack += reply.givenBack();
				this.done = next;
				this.steps++;
				return last ? CompletableFuture
					.completedFuture(new ResumeScript.Reply(LaneStatus.OK, this.givenBack, this.refused)) : run();
			});
	}

}
