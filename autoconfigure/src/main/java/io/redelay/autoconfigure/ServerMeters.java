package io.redelay.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.measure.CountsRecorder;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.store.Uids;
import io.redelay.queue.store.redis.AdminScripts;
import io.redelay.scheduling.Scheduler;

/**
 * Reports the work of queues on all servers to the meters of the application, and counts
 * it for the history that each server keeps.
 */
final class ServerMeters {

	private final Scheduler scheduler;

	private final boolean history;

	private final QueueMeters application = new QueueMeters();

	private final Map<AdminScripts, QueueMeters> byServer = new ConcurrentHashMap<>();

	private final List<CountsRecorder> recorders = new CopyOnWriteArrayList<>();

	private volatile boolean counting;

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
	void add(QueueMeter meter) {
		this.application.add(meter);
	}

	/**
	 * The meters of the queues of a server.
	 */
	QueueMeters of(AdminScripts server) {
		return this.byServer.computeIfAbsent(server, (store) -> {
			QueueMeters told = new QueueMeters();
			told.add(this.application);
			if (this.history) {
				String instance = Uids.instance();
				CountsRecorder recorder = new CountsRecorder(
						(queue, request, spans) -> store.stats().add(queue, instance, request, spans), this.scheduler);
				told.add(recorder);
				this.recorders.add(recorder);
				if (this.counting) {
					recorder.start();
				}
			}
			return told;
		});
	}

	/**
	 * Has the counts of all servers written from now on.
	 */
	void start() {
		this.counting = true;
		this.recorders.forEach(CountsRecorder::start);
	}

	/**
	 * Writes the counts of all servers, and none after that.
	 * @return completes when they are written, or cannot be
	 */
	CompletableFuture<Void> stop() {
		this.counting = false;
		return CompletableFuture
			.allOf(this.recorders.stream().map(CountsRecorder::stop).toArray(CompletableFuture[]::new));
	}

}
