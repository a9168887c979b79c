package io.redelay.scheduling;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Calls that return a future, whose caller must go on whatever they throw.
 *
 * @since 0.1.0
 */
public final class AsyncCall {

	private AsyncCall() {
	}

	/**
	 * Calls, and fails in place of throwing anything.
	 * @param call the call
	 * @param <T> the type of its result
	 * @return the future of the call, or a failed one if the call throws
	 */
	public static <T extends @Nullable Object> CompletableFuture<T> of(Supplier<CompletableFuture<T>> call) {
		try {
			return call.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Calls on a thread of an executor, or here if there is none, and fails in place of
	 * throwing anything.
	 * @param scheduler has the executor
	 * @param call the call
	 * @param <T> the type of its result
	 * @return completes as the future of the call does
	 */
	public static <T extends @Nullable Object> CompletableFuture<T> on(Scheduler scheduler,
			Supplier<CompletableFuture<T>> call) {
		CompletableFuture<CompletableFuture<T>> called = new CompletableFuture<>();
		Runnable task = () -> called.complete(of(call));
		if (!scheduler.execute(task)) {
			task.run();
		}
		return called.thenCompose((result) -> result);
	}

}
