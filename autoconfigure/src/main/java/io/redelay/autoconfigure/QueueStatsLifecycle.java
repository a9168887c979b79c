package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.scheduling.Scheduler;

import org.springframework.context.SmartLifecycle;

/**
 * Writes the counts of queues when the application stops, after the listeners have ended.
 */
final class QueueStatsLifecycle implements SmartLifecycle {

	/**
	 * How long a Redis that does not answer may hold the end of the application up.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(1);

	private final QueueServerFactory servers;

	private final Scheduler scheduler;

	private volatile boolean running;

	QueueStatsLifecycle(QueueServerFactory servers, Scheduler scheduler) {
		this.servers = servers;
		this.scheduler = scheduler;
	}

	@Override
	public void start() {
		this.running = true;
		this.servers.meters().start();
	}

	@Override
	public void stop() {
		this.running = false;
		this.servers.meters().stop();
	}

	@Override
	public void stop(Runnable callback) {
		this.running = false;
		this.scheduler.limit(this.servers.meters().stop(), LIMIT).whenComplete((done, failure) -> callback.run());
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Stops after the listeners, whose phase is the last one, and after the beans with
	 * which they send.
	 */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

}
