package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.redelay.queue.message.ClaimLimits;

/**
 * What the guide promises of a limit that several queues share: it holds for all their
 * messages together.
 */
final class SharedLimit {

	private final ClaimLimits.Shared limit;

	private final List<History> queues = new ArrayList<>();

	private final Claims claims = new Claims(ClaimLimits.NONE, (words) -> {
	});

	SharedLimit(ClaimLimits.Shared limit) {
		this.limit = limit;
	}

	void add(History queue) {
		this.queues.add(queue);
	}

	/**
	 * A handler begins with a message that was claimed at a time.
	 */
	void claimed(long at, Consumer<String> violated) {
		if (this.limit.rate() != null) {
			this.claims.count("the queues that share a limit", at, this.limit.rate(), violated);
		}
	}

	/**
	 * A handler begins, and is not among those that run.
	 */
	void begins(Story story, long now, Consumer<String> violated) {
		if (this.limit.maxInFlight() != null) {
			long running = this.queues.stream().mapToLong((each) -> each.inFlight((any) -> true, now)).sum();
			if (running >= this.limit.maxInFlight()) {
				violated.accept(story.uid + " is handled beside " + running
						+ " others of the queues that share a limit, which is " + this.limit.maxInFlight());
			}
		}
	}

}
