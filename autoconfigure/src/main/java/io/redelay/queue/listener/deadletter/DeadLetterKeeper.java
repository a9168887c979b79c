package io.redelay.queue.listener.deadletter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Looks after the dead messages of a container's queues while it runs.
 *
 * @since 0.1.0
 */
public final class DeadLetterKeeper {

	private final DeadLetterRuntime runtime;

	private final List<DeadLetterTrimmer> trimmers = new ArrayList<>();

	private final List<DeadLetterMover> movers = new ArrayList<>();

	/**
	 * Creates what looks after the dead messages of no queue yet.
	 * @param runtime what all containers share
	 */
	public DeadLetterKeeper(DeadLetterRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Adds a queue, before the start.
	 * @param queue the queue
	 * @param settings what becomes of its dead messages
	 * @param leaseTime how long another instance may hold a message before it is tried
	 * again
	 */
	public void add(String queue, DeadLetterSettings settings, Duration leaseTime) {
		this.trimmers.add(new DeadLetterTrimmer(queue, settings, this.runtime));
		if (settings.target() != null) {
			this.movers.add(new DeadLetterMover(queue, settings.target(), false, leaseTime, this.runtime));
		}
		if (settings.source() != null) {
			this.movers.add(new DeadLetterMover(settings.source(), queue, true, leaseTime, this.runtime));
		}
	}

	public void start() {
		this.trimmers.forEach(DeadLetterTrimmer::start);
		this.movers.forEach(DeadLetterMover::start);
	}

	/**
	 * Stops.
	 * @return completes when nothing is on its way any more
	 */
	public CompletableFuture<Void> stop() {
		this.trimmers.forEach(DeadLetterTrimmer::stop);
		return CompletableFuture
			.allOf(this.movers.stream().map(DeadLetterMover::stop).toArray(CompletableFuture[]::new));
	}

}
