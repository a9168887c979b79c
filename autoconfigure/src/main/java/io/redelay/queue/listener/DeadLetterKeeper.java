package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Looks after the dead messages of a container's queues while it runs.
 */
final class DeadLetterKeeper {

	private final List<DeadLetterTrimmer> trimmers = new ArrayList<>();

	private final List<DeadLetterMover> movers = new ArrayList<>();

	DeadLetterKeeper(ContainerSettings settings, ListenerRuntime runtime) {
		settings.queues().forEach((queue, each) -> {
			DeadLetterSettings deadLetters = each.deadLetters();
			this.trimmers.add(new DeadLetterTrimmer(queue, deadLetters, runtime));
			if (deadLetters.target() != null) {
				this.movers.add(new DeadLetterMover(queue, deadLetters.target(), false, each.leaseTime(), runtime));
			}
			if (deadLetters.source() != null) {
				this.movers.add(new DeadLetterMover(deadLetters.source(), queue, true, each.leaseTime(), runtime));
			}
		});
	}

	void start() {
		this.trimmers.forEach(DeadLetterTrimmer::start);
		this.movers.forEach(DeadLetterMover::start);
	}

	/**
	 * Stops.
	 * @return completes when nothing is on its way any more
	 */
	CompletableFuture<Void> stop() {
		this.trimmers.forEach(DeadLetterTrimmer::stop);
		return CompletableFuture
			.allOf(this.movers.stream().map(DeadLetterMover::stop).toArray(CompletableFuture[]::new));
	}

}
