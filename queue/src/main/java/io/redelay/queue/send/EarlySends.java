package io.redelay.queue.send;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Sends that were asked for before something is known that they need. They begin in the
 * order in which they were asked for, and so do those that come behind them: what hangs
 * on one future would begin in any order.
 * <p>
 * Safe for use by many threads.
 */
final class EarlySends {

	/**
	 * What is to begin, by queue; the first one until it has begun.
	 */
	private final Map<String, Deque<Consumer<@Nullable Throwable>>> lines = new HashMap<>();

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
	 * @param ready ends when what the sends of the queue need is known
	 * @param send begins it; is given the failure if that will not be known
	 * @return ends with the send
	 */
	<T> CompletableFuture<T> begin(String queue, CompletableFuture<?> ready,
			Function<@Nullable Throwable, CompletableFuture<T>> send) {
		CompletableFuture<T> result = new CompletableFuture<>();
		boolean first;
		synchronized (this.lines) {
			Deque<Consumer<@Nullable Throwable>> line = this.lines.computeIfAbsent(queue, (name) -> new ArrayDeque<>());
			first = line.isEmpty();
			line.add((thrown) -> start(thrown, send, result));
			this.some = true;
		}
		if (first) {
			ready.whenComplete((known, thrown) -> startAll(queue, thrown));
		}
		return result;
	}

	private void startAll(String queue, @Nullable Throwable thrown) {
		Consumer<@Nullable Throwable> next = next(queue, false);
		while (next != null) {
			next.accept(thrown);
			next = next(queue, true);
		}
	}

	private @Nullable Consumer<@Nullable Throwable> next(String queue, boolean hasBegun) {
		synchronized (this.lines) {
			Deque<Consumer<@Nullable Throwable>> line = this.lines.get(queue);
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

	private static <T> void start(@Nullable Throwable thrown, Function<@Nullable Throwable, CompletableFuture<T>> send,
			CompletableFuture<T> result) {
		try {
			send.apply(thrown).whenComplete((value, failure) -> {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.complete(value);
				}
			});
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

}
