package io.redelay.queue.handle;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A future that stands for the futures that handlers returned: cancelling it cancels
 * them.
 *
 * @since 0.1.0
 */
public final class AwaitedStages extends CompletableFuture<@Nullable Object> {

	private final List<? extends CompletionStage<?>> returned;

	/**
	 * Creates a future that the caller completes when the futures are complete.
	 * @param returned the futures
	 */
	public AwaitedStages(List<? extends CompletionStage<?>> returned) {
		this.returned = returned;
	}

	/**
	 * Creates a future that completes as another one does, with its failure translated.
	 */
	static AwaitedStages of(CompletionStage<?> returned, UnaryOperator<Throwable> failures) {
		AwaitedStages awaited = new AwaitedStages(List.of(returned));
		returned.handle((value, thrown) -> (thrown != null) ? awaited.completeExceptionally(failures.apply(thrown))
				: awaited.complete(value));
		return awaited;
	}

	@Override
	public boolean cancel(boolean mayInterrupt) {
		for (CompletionStage<?> each : this.returned) {
			if (each instanceof Future<?> future) {
				future.cancel(mayInterrupt);
			}
		}
		return super.cancel(mayInterrupt);
	}

}
