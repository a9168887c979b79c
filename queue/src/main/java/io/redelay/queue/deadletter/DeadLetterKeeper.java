package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.redelay.queue.RedriveRule;

/**
 * Manages the dead messages of a container's queues while it runs.
 *
 * @since 0.1.0
 */
public final class DeadLetterKeeper {

	private final DeadLetterRuntime runtime;

	private final Map<String, DeadLetterTrimmer> trimmers = new LinkedHashMap<>();

	private final List<DeadLetterMover> movers = new ArrayList<>();

	/**
	 * The redrivers, by queue.
	 */
	private final Map<String, DeadLetterRedriver> redrivers = new HashMap<>();

	private final Set<String> sources = new HashSet<>();

	private boolean started;

	/**
	 * Creates a keeper that has no queues yet.
	 * @param runtime the parts that all containers share
	 */
	public DeadLetterKeeper(DeadLetterRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Adds a partition, unless it was added before.
	 * @param partition the name that the store has for it
	 * @param settings the settings for its dead messages
	 * @param leaseTime how long the mark of another instance on a message counts
	 */
	public synchronized void add(String partition, DeadLetterSettings settings, Duration leaseTime) {
		if (this.trimmers.containsKey(partition)) {
			return;
		}
		DeadLetterTrimmer trimmer = new DeadLetterTrimmer(partition, settings, this.runtime);
		this.trimmers.put(partition, trimmer);
		if (this.started) {
			trimmer.start();
		}
		if (settings.target() != null) {
			add(new DeadLetterMover(partition, settings.target(), false, leaseTime, this.runtime));
		}
	}

	/**
	 * Adds a partition of another queue whose dead messages are forwarded to this one,
	 * unless it was added before.
	 * @param source the name that the store has for it
	 * @param queue the queue that they are forwarded to
	 * @param leaseTime how long the mark of another instance on a message counts
	 */
	public synchronized void addSource(String source, String queue, Duration leaseTime) {
		if (this.sources.add(source)) {
			add(new DeadLetterMover(source, queue, true, leaseTime, this.runtime));
		}
	}

	/**
	 * Has the dead messages of a queue redriven by a rule.
	 * @param queue the queue
	 * @param all the names that the store has for its partitions
	 * @param rule the rule
	 * @param leaseTime how long an instance redrives after its last request, before
	 * another one does
	 */
	public synchronized void redrive(String queue, List<String> all, RedriveRule rule, Duration leaseTime) {
		DeadLetterRedriver present = this.redrivers.get(queue);
		if (present != null) {
			present.partitions(all);
			return;
		}
		DeadLetterRedriver redriver = new DeadLetterRedriver(queue, rule, all, leaseTime, this.runtime);
		this.redrivers.put(queue, redriver);
		if (this.started) {
			redriver.start();
		}
	}

	private void add(DeadLetterMover mover) {
		this.movers.add(mover);
		if (this.started) {
			mover.start();
		}
	}

	public synchronized void start() {
		this.started = true;
		this.trimmers.values().forEach(DeadLetterTrimmer::start);
		this.movers.forEach(DeadLetterMover::start);
		this.redrivers.values().forEach(DeadLetterRedriver::start);
	}

	/**
	 * Stops.
	 * @return a future that completes when no message is on its way any more
	 */
	public synchronized CompletableFuture<Void> stop() {
		this.trimmers.values().forEach(DeadLetterTrimmer::stop);
		return CompletableFuture
			.allOf(Stream
				.concat(this.movers.stream().map(DeadLetterMover::stop),
						this.redrivers.values().stream().map(DeadLetterRedriver::stop))
				.toArray(CompletableFuture[]::new));
	}

}
