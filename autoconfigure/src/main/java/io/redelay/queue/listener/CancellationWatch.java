package io.redelay.queue.listener;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.redelay.queue.CancellationReason;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.scheduling.Scheduler;

/**
 * Finds out which of the messages that a loop holds were cancelled, and has their tokens
 * turn. Redis tells the instance at once, and the loop asks as often as its lane is
 * renewed, for what Redis tells may be lost.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
final class CancellationWatch {

	private final String queue;

	private final DelayQueueStore store;

	private final Scheduler scheduler;

	private final Supplier<List<Delivery>> held;

	private final Executor callbacks;

	/**
	 * Creates a watch.
	 * @param queue the queue
	 * @param store where messages are cancelled
	 * @param scheduler the clock, and runs callbacks of tokens
	 * @param held the messages that the loop holds
	 */
	CancellationWatch(String queue, DelayQueueStore store, Scheduler scheduler, Supplier<List<Delivery>> held) {
		this.queue = queue;
		this.store = store;
		this.scheduler = scheduler;
		this.held = held;
		this.callbacks = (task) -> {
			if (!scheduler.execute(task)) {
				task.run();
			}
		};
	}

	/**
	 * Has the tokens of deliveries turn.
	 */
	void turn(List<Delivery> deliveries, CancellationReason reason) {
		deliveries.forEach((delivery) -> delivery.turn(reason, this.callbacks));
	}

	/**
	 * A message that the loop may hold was cancelled.
	 */
	void cancelled(String uid) {
		cancelled(Set.of(uid));
	}

	private void cancelled(Set<String> uids) {
		turn(this.held.get().stream().filter((delivery) -> uids.contains(delivery.uid())).toList(),
				CancellationReason.CANCELLED);
	}

	/**
	 * Asks which of all messages were cancelled.
	 */
	void ask() {
		askFor(this.held.get());
	}

	/**
	 * Asks which of those messages were cancelled that have been held for a time. The
	 * others have most likely ended before the answer.
	 */
	void askForHeld(long nanos) {
		long now = this.scheduler.nanoTime();
		askFor(this.held.get().stream().filter((delivery) -> delivery.claim().heldNanos(now) >= nanos).toList());
	}

	private void askFor(List<Delivery> deliveries) {
		List<String> uids = deliveries.stream()
			.filter((delivery) -> !delivery.isCalledOff())
			.map(Delivery::uid)
			.toList();
		for (int from = 0; from < uids.size(); from += DelayQueueStore.MAX_ASKED) {
			find(uids.subList(from, Math.min(uids.size(), from + DelayQueueStore.MAX_ASKED))).thenAccept((found) -> {
				if (!found.isEmpty()) {
					cancelled(found);
				}
			});
		}
	}

	/**
	 * Fails in place of throwing anything; the next renewal asks again.
	 */
	private CompletableFuture<Set<String>> find(List<String> uids) {
		try {
			return this.store.findCancelled(this.queue, uids);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
