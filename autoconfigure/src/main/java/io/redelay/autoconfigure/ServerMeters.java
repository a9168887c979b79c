package io.redelay.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.measure.CountsRecorder;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.Uids;
import io.redelay.scheduling.Scheduler;

/**
 * Tells the meters of the application of the work that queues have, on all servers, and
 * counts it for the history that each server keeps.
 */
final class ServerMeters {

	private final Scheduler scheduler;

	private final boolean history;

	private final QueueMeters application = new QueueMeters();

	private final Map<QueueAdminStore, QueueMeters> byServer = new ConcurrentHashMap<>();

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
	 * Adds a meter of the application, which is told of all servers from now on.
	 */
	void add(QueueMeter meter) {
		this.application.add(meter);
	}

	/**
	 * What is told of the queues of a server.
	 */
	QueueMeters of(QueueAdminStore server) {
		return this.byServer.computeIfAbsent(server, (store) -> {
			QueueMeters told = new QueueMeters();
			told.add(this.application);
			if (this.history) {
				String instance = Uids.instance();
				CountsRecorder recorder = new CountsRecorder(
						(queue, request, spans) -> store.addCounts(queue, instance, request, spans), this.scheduler);
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
	 * Has what is counted of all servers written from now on.
	 */
	void start() {
		this.counting = true;
		this.recorders.forEach(CountsRecorder::start);
	}

	/**
	 * Writes what was counted of all servers, and no more after that.
	 * @return completes when it is written, or cannot be
	 */
	CompletableFuture<Void> stop() {
		this.counting = false;
		return CompletableFuture
			.allOf(this.recorders.stream().map(CountsRecorder::stop).toArray(CompletableFuture[]::new));
	}

}
