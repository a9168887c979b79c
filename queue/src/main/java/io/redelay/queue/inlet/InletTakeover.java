package io.redelay.queue.inlet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.request.SendRequest;
import io.redelay.scheduling.ScheduledTask;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Polls all inlets of an instance with one request at an interval (in a cluster with one
 * for each inlet), and has those with entries taken over. Does nothing if no queue has an
 * inlet.
 *
 * @since 0.1.0
 */
public final class InletTakeover implements SmartLifecycle {

	private static final Log logger = PlainLog.of(InletTakeover.class);

	/**
	 * From how many inlets an instance takes over at a time; the others follow later.
	 * Each step has some megabytes in memory.
	 */
	private static final int MAX_AT_ONCE = 8;

	private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(1);

	private final InletSettings settings;

	private final Supplier<InletRuntime> source;

	/**
	 * New ones with each start.
	 */
	private volatile Map<String, InletTaker> takers = Map.of();

	private final Semaphore places = new Semaphore(MAX_AT_ONCE);

	private final AtomicBoolean looking = new AtomicBoolean();

	private final Runnable redisIsBack = this::holdBack;

	/**
	 * The time until which no inlet is polled.
	 */
	private volatile @Nullable Long heldBackNanos;

	private volatile boolean running;

	/**
	 * What it works with while it runs; {@code null} if there are no inlets.
	 */
	private volatile @Nullable InletRuntime runtime;

	private @Nullable ScheduledTask poll;

	/**
	 * Creates it.
	 * @param settings which queues have an inlet
	 * @param source gives what it works with, if there are any
	 */
	public InletTakeover(InletSettings settings, Supplier<InletRuntime> source) {
		this.settings = settings;
		this.source = source;
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		this.running = true;
		if (this.settings.names().isEmpty()) {
			return;
		}
		InletRuntime present = this.source.get();
		this.runtime = present;
		present.bounds().start();
		Map<String, InletTaker> created = new LinkedHashMap<>();
		this.settings.names()
			.forEach((queue) -> created.put(queue, new InletTaker(queue, this.settings, present, this::isHeldBack)));
		this.takers = created;
		logger.info("Takes over what others push into the inlets "
				+ this.settings.names().stream().map(present.inlets()::key).toList());
		present.inlets().replayMemory().watch(this.redisIsBack);
		long interval = this.settings.pollInterval().toNanos();
		// Instances that start together do not poll together.
		this.poll = present.scheduler()
			.repeat(() -> look(present), Duration.ofNanos(ThreadLocalRandom.current().nextLong(interval)),
					this.settings.pollInterval());
	}

	@Override
	public void stop() {
		halt();
	}

	@Override
	public void stop(Runnable callback) {
		InletRuntime present = this.runtime;
		CompletableFuture<Void> halted = halt();
		if (present != null) {
			present.scheduler().limit(halted, LONGEST_FAREWELL);
		}
		halted.whenComplete((done, failure) -> callback.run());
	}

	private synchronized CompletableFuture<Void> halt() {
		this.running = false;
		InletRuntime present = this.runtime;
		if (present == null) {
			return CompletableFuture.completedFuture(null);
		}
		if (this.poll != null) {
			this.poll.cancel();
			this.poll = null;
		}
		present.inlets().replayMemory().unwatch(this.redisIsBack);
		present.bounds().stop();
		return CompletableFuture
			.allOf(this.takers.values().stream().map(InletTaker::stop).toArray(CompletableFuture[]::new));
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Redis may have gone back in time, and entries that were taken over may be in the
	 * inlets again. So nothing is taken for a while: the instances that took them repeat
	 * that, which removes the entries.
	 */
	private void holdBack() {
		InletRuntime present = this.runtime;
		if (present != null) {
			this.heldBackNanos = present.scheduler().nanoTime() + SendRequest.HOLD_BACK.toNanos();
		}
	}

	private boolean isHeldBack() {
		InletRuntime present = this.runtime;
		Long until = this.heldBackNanos;
		return until != null && present != null && until - present.scheduler().nanoTime() > 0;
	}

	private void look(InletRuntime present) {
		if (isHeldBack() || !this.looking.compareAndSet(false, true)) {
			return;
		}
		try {
			present.inlets().findFilled(List.copyOf(this.takers.keySet())).whenComplete(this::looked);
		}
		catch (RuntimeException ex) {
			looked(null, ex);
		}
	}

	private void looked(@Nullable List<String> filled, @Nullable Throwable failure) {
		this.looking.set(false);
		if (filled == null) {
			logger.debug("The inlets were not looked at, which is tried again", failure);
			return;
		}
		List<String> turn = new ArrayList<>(filled);
		Collections.shuffle(turn);
		for (String queue : turn) {
			InletTaker taker = this.takers.get(queue);
			if (taker != null && this.running && this.places.tryAcquire()) {
				taker.run().whenComplete((done, thrown) -> this.places.release());
			}
		}
	}

}
