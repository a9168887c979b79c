package io.redelay.queue.admin.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Runs the requests of an instance that pack messages and bring them near, few at once:
 * each takes Redis some milliseconds, for which all that came after it waits.
 * <p>
 * Safe for use by many threads.
 */
final class FarMoves {

	/**
	 * How many run at once: while Redis takes one, the next one is deflated or unpacked.
	 */
	static final int AT_ONCE = 2;

	private final Scheduler scheduler;

	private final Queue<Runnable> waiting = new ArrayDeque<>();

	private int running;

	/**
	 * Creates it.
	 * @param scheduler has threads to deflate and to unpack on
	 */
	FarMoves(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	/**
	 * Runs a request once it is its turn, on a thread of its own.
	 * @param request makes the request
	 * @param <T> the type of its result
	 * @return completes as the request does
	 */
	<T extends @Nullable Object> CompletableFuture<T> run(Supplier<CompletableFuture<T>> request) {
		CompletableFuture<T> result = new CompletableFuture<>();
		synchronized (this.waiting) {
			this.waiting.add(() -> AsyncCall.on(this.scheduler, request).whenComplete((value, failure) -> {
				ended();
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.complete(value);
				}
			}));
		}
		startNext();
		return result;
	}

	private void ended() {
		synchronized (this.waiting) {
			this.running--;
		}
		startNext();
	}

	private void startNext() {
		Runnable next;
		synchronized (this.waiting) {
			next = (this.running < AT_ONCE) ? this.waiting.poll() : null;
			if (next != null) {
				this.running++;
			}
		}
		if (next != null) {
			next.run();
		}
	}

}
