package io.redelay.queue.claim;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.script.IsCancelledScript;
import io.redelay.queue.work.CancellationReason;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;

/**
 * Finds out which of the messages that a loop holds were cancelled, and turns their
 * tokens. Redis notifies the instance at once. As a notice may be lost, the loop also
 * asks whenever its lane is renewed.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
final class CancellationWatch {

	/**
	 * How much later than a cancellation notice the reply that brings the message may
	 * arrive. After that only the next renewal finds out.
	 */
	private static final Duration KEPT = Duration.ofSeconds(30);

	private static final int MAX_KEPT = 1000;

	private final String queue;

	private final IsCancelledScript isCancelled;

	private final Scheduler scheduler;

	private final Supplier<List<Delivery>> held;

	private final Executor callbacks;

	/**
	 * The times of notices about messages that the loop does not hold, the oldest first;
	 * guarded by itself.
	 */
	private final Map<String, Long> early = new LinkedHashMap<>();

	/**
	 * Creates a watch.
	 * @param queue the queue
	 * @param isCancelled finds which messages were cancelled
	 * @param scheduler the clock, and runs callbacks of tokens
	 * @param held the messages that the loop holds
	 */
	CancellationWatch(String queue, IsCancelledScript isCancelled, Scheduler scheduler, Supplier<List<Delivery>> held) {
		this.queue = queue;
		this.isCancelled = isCancelled;
		this.scheduler = scheduler;
		this.held = held;
		this.callbacks = (task) -> {
			if (!scheduler.execute(task)) {
				task.run();
			}
		};
	}

	/**
	 * Turns the tokens of deliveries.
	 */
	void turn(List<Delivery> deliveries, CancellationReason reason) {
		deliveries.forEach((delivery) -> delivery.turn(reason, this.callbacks));
	}

	/**
	 * Called when a message was cancelled that the loop holds, or will hold when the
	 * reply to its claim arrives.
	 */
	void cancelled(String uid) {
		// Kept before the look, for the reply may be accepted at the same time.
		keep(uid);
		if (cancelled(Set.of(uid))) {
			synchronized (this.early) {
				this.early.remove(uid);
			}
		}
	}

	private boolean cancelled(Set<String> uids) {
		List<Delivery> cancelled = this.held.get()
			.stream()
			.filter((delivery) -> uids.contains(delivery.uid()))
			.toList();
		turn(cancelled, CancellationReason.CANCELLED);
		return !cancelled.isEmpty();
	}

	private void keep(String uid) {
		synchronized (this.early) {
			forgetOld();
			if (this.early.size() >= MAX_KEPT) {
				this.early.remove(this.early.keySet().iterator().next());
			}
			this.early.put(uid, this.scheduler.nanoTime());
		}
	}

	private void forgetOld() {
		long now = this.scheduler.nanoTime();
		this.early.values().removeIf((since) -> now - since >= KEPT.toNanos());
	}

	/**
	 * Turns the tokens of messages that were cancelled before the reply to their claim
	 * came.
	 * @param claimed the deliveries that the loop holds since that reply
	 */
	void claimed(List<Delivery> claimed) {
		List<Delivery> cancelled;
		synchronized (this.early) {
			if (this.early.isEmpty()) {
				return;
			}
			forgetOld();
			cancelled = claimed.stream().filter((delivery) -> this.early.remove(delivery.uid()) != null).toList();
		}
		turn(cancelled, CancellationReason.CANCELLED);
	}

	/**
	 * Asks which of the messages that the loop holds were cancelled.
	 */
	void ask() {
		List<String> uids = this.held.get()
			.stream()
			.filter((delivery) -> !delivery.isCalledOff())
			.map(Delivery::uid)
			.toList();
		for (int from = 0; from < uids.size(); from += IsCancelledScript.MAX_ASKED) {
			List<String> asked = uids.subList(from, Math.min(uids.size(), from + IsCancelledScript.MAX_ASKED));
			// If it fails, the next renewal asks again.
			AsyncCall.of(() -> this.isCancelled.run(this.queue, asked)).thenAccept((found) -> {
				if (!found.isEmpty()) {
					cancelled(found);
				}
			});
		}
	}

}
