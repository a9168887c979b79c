package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.redelay.queue.measure.CountsRecorder;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.message.Uids;
import io.redelay.queue.script.RequestMeter;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.StatsKey;
import io.redelay.scheduling.Scheduler;

import org.springframework.context.SmartLifecycle;

/**
 * Reports the work of queues on all servers to the meters of the application, and counts
 * it for the history that each server keeps. The last counts are written when the
 * application stops, after the listeners have ended.
 */
final class ServerMeters implements SmartLifecycle {

	/**
	 * How long a Redis that does not answer may hold the end of the application up.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(1);

	private final Scheduler scheduler;

	private final boolean history;

	private final List<QueueMeter> application = new ArrayList<>();

	private final List<Server> servers = new ArrayList<>();

	private final Set<Class<?>> failed = ConcurrentHashMap.newKeySet();

	private final List<CountsRecorder> recorders = new CopyOnWriteArrayList<>();

	private volatile boolean running;

	/**
	 * Creates the meters.
	 * @param scheduler when counts are written
	 * @param history whether servers keep a history
	 */
	ServerMeters(Scheduler scheduler, boolean history) {
		this.scheduler = scheduler;
		this.history = history;
	}

	/**
	 * Adds a meter of the application, which gets the reports of all servers from now on.
	 */
	synchronized void add(QueueMeter meter) {
		this.application.add(meter);
		this.servers.forEach((server) -> server.add(meter));
	}

	/**
	 * Creates the meters of a server.
	 * @param store gives its store, which may not be there yet
	 * @param observers observe its calls, from the first meter on
	 */
	synchronized QueueMeters ofServer(Supplier<AdminScripts> store, ScriptObservers observers) {
		Server server = new Server(new QueueMeters(this.failed), observers);
		this.application.forEach(server::add);
		this.servers.add(server);
		if (this.history) {
			String instance = Uids.instance();
			CountsRecorder recorder = new CountsRecorder(
					(queue, request, spans) -> new StatsKey(store.get().runner()).add(queue, instance, request, spans),
					this.scheduler);
			server.add(recorder);
			this.recorders.add(recorder);
			if (this.running) {
				recorder.start();
			}
		}
		return server.meters();
	}

	@Override
	public void start() {
		this.running = true;
		this.recorders.forEach(CountsRecorder::start);
	}

	@Override
	public void stop() {
		write();
	}

	@Override
	public void stop(Runnable callback) {
		this.scheduler.limit(write(), LIMIT).whenComplete((done, failure) -> callback.run());
	}

	/**
	 * Writes the counts of all servers, and none after that.
	 * @return completes when they are written, or cannot be
	 */
	private CompletableFuture<Void> write() {
		this.running = false;
		return CompletableFuture
			.allOf(this.recorders.stream().map(CountsRecorder::stop).toArray(CompletableFuture[]::new));
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
		return SuspendedAtStop.USERS;
	}

	private record Server(QueueMeters meters, ScriptObservers observers) {

		void add(QueueMeter meter) {
			boolean first = this.meters.isEmpty();
			this.meters.add(meter);
			if (first) {
				this.observers.add(new RequestMeter(this.meters));
			}
		}

	}

}
