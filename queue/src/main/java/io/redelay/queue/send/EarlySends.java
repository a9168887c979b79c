package io.redelay.queue.send;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Sends that were requested before the information that they need is known. They begin in
 * the order of the requests, and so do later ones. Callbacks of one future would begin in
 * any order.
 * <p>
 * Safe for use by many threads.
 */
final class EarlySends {

	/**
	 * The sends that wait, by queue; the first one stays until it has begun.
	 */
	private final Map<String, Deque<CompletableFuture<@Nullable Throwable>>> lines = new HashMap<>();

	private volatile boolean some;

	/**
	 * Whether sends of a queue wait, or are beginning.
	 */
	boolean areWaiting(String queue) {
		if (!this.some) {
			return false;
		}
		synchronized (this.lines) {
			return this.lines.containsKey(queue);
		}
	}

	/**
	 * Begins a send behind those of its queue that wait.
	 * @param queue the queue
	 * @param ready completes when the information that the sends of the queue need is
	 * known
	 * @param send begins the send; is given the failure if that information is not
	 * available
	 * @return ends with the send
	 */
	<T> CompletableFuture<T> begin(String queue, CompletableFuture<?> ready,
			Function<@Nullable Throwable, CompletableFuture<T>> send) {
		CompletableFuture<@Nullable Throwable> turn = new CompletableFuture<>();
		CompletableFuture<T> result = turn.thenCompose(send);
		boolean first;
		synchronized (this.lines) {
			Deque<CompletableFuture<@Nullable Throwable>> line = this.lines.computeIfAbsent(queue,
					(name) -> new ArrayDeque<>());
			first = line.isEmpty();
			line.add(turn);
			this.some = true;
		}
		if (first) {
			ready.whenComplete((known, thrown) -> startAll(queue, thrown));
		}
		return result;
	}

	private void startAll(String queue, @Nullable Throwable thrown) {
		CompletableFuture<@Nullable Throwable> next = next(queue, false);
		while (next != null) {
			next.complete(thrown);
			next = next(queue, true);
		}
	}

	private @Nullable CompletableFuture<@Nullable Throwable> next(String queue, boolean hasBegun) {
		synchronized (this.lines) {
			Deque<CompletableFuture<@Nullable Throwable>> line = this.lines.get(queue);
			if (line == null) {
				return null;
			}
			if (hasBegun) {
				line.poll();
			}
			if (line.isEmpty()) {
				this.lines.remove(queue);
				this.some = !this.lines.isEmpty();
			}
			return line.peek();
		}
	}

}
