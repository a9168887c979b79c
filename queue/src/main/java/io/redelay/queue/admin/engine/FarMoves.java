package io.redelay.queue.admin.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many requests of the sweeper of an instance that pack messages or bring them
 * near run at once: each takes Redis some milliseconds, and all other requests wait for
 * that long.
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
	 * Runs a request once it is its turn, on a thread of its own, or here if there is
	 * none.
	 * @param request makes the request
	 * @param <T> the type of its result
	 * @return completes as the request does
	 */
	<T extends @Nullable Object> CompletableFuture<T> run(Supplier<CompletableFuture<T>> request) {
		CompletableFuture<T> result = new CompletableFuture<>();
		synchronized (this.waiting) {
			this.waiting.add(() -> call(request).whenComplete((value, failure) -> {
				// First, as those that wait may look whether one has failed.
				try {
					if (failure != null) {
						result.completeExceptionally(failure);
					}
					else {
						result.complete(value);
					}
				}
				finally {
					ended();
				}
			}));
		}
		startNext();
		return result;
	}

	private <T extends @Nullable Object> CompletableFuture<T> call(Supplier<CompletableFuture<T>> request) {
		return AsyncCall.of(() -> AsyncCall.on(this.scheduler, request));
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
