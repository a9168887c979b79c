package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.scheduling.Scheduler;

/**
 * Makes known to all instances to which queues messages with a time to live are sent, so
 * that they look for expired ones there.
 * <p>
 * Safe for use by many threads.
 */
public final class ExpiryAnnouncements {

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	/**
	 * For how many queues the time of the announcement is remembered.
	 */
	private static final int MAX_QUEUES = 1000;

	private final ScriptRunner runner;

	private final Scheduler scheduler;

	/**
	 * When each queue was announced.
	 */
	private final ConcurrentMap<String, Long> announced = new ConcurrentHashMap<>();

	public ExpiryAnnouncements(ScriptRunner runner, Scheduler scheduler, ReplayMemory replayMemory) {
		this.runner = runner;
		this.scheduler = scheduler;
		replayMemory.watch(this::announceAgain);
	}

	/**
	 * Announces queues again, as Redis may have gone back in time, and repeated sends do
	 * not announce.
	 */
	private void announceAgain() {
		List<String> queues = List.copyOf(this.announced.keySet());
		this.announced.clear();
		queues.forEach(this::announce);
	}

	/**
	 * Makes the next send announce a queue again: it may have left the list.
	 */
	void forget(String queue) {
		this.announced.computeIfPresent(queue, (name, before) -> this.scheduler.nanoTime() - INTERVAL.toNanos());
	}

	/**
	 * Announces a queue, unless it was announced less than a minute ago. To be called
	 * before the send. A failure is ignored: the send fails then, too, or the next one
	 * announces the queue.
	 * @return a future that completes when the queue is known, or could not be announced
	 */
	CompletableFuture<Void> announce(String queue) {
		long now = this.scheduler.nanoTime();
		Long before = this.announced.get(queue);
		if (before != null && now - before < INTERVAL.toNanos()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.runner
			.runOnKey(Script.REGISTER, NameLists.EXPIRING,
					"Announcing that messages of the queue '" + queue + "' expire", (reply) -> now, queue)
			.handle((reply, failure) -> {
				if (reply != null) {
					if (this.announced.size() >= MAX_QUEUES) {
						this.announced.clear(); // each costs a registration more then
					}
					this.announced.put(queue, reply);
				}
				return null;
			});
	}

}
