package io.redelay.kotlin;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the coroutines that run in a context. A caller that is cancelled does not wait
 * for a function behind a proxy of Spring: that runs in a coroutine of its own, which is
 * cancelled as well, and may go on for a while.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RunningCoroutines extends AbstractCoroutineContextElement implements ThreadContextElement<Unit> {

	private static final Key KEY = new Key();

	private final Set<Job> running = ConcurrentHashMap.newKeySet();

	private final @Nullable RunningCoroutines outer;

	private RunningCoroutines(@Nullable RunningCoroutines outer) {
		super(KEY);
		this.outer = outer;
	}

	/**
	 * Creates an element for a context.
	 * @param caller the context of the caller, which also waits for coroutines in the new
	 * context
	 * @return the element
	 */
	public static RunningCoroutines in(CoroutineContext caller) {
		return new RunningCoroutines(caller.get(KEY));
	}

	@Override
	public Unit updateThreadContext(CoroutineContext context) {
		Job job = context.get(Job.Key);
		if (job != null) {
			runs(job);
		}
		return Unit.INSTANCE;
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, Unit before) {
		// Nothing was changed.
	}

	private void runs(Job job) {
		if (this.running.add(job)) {
			job.invokeOnCompletion((failure) -> {
				this.running.remove(job);
				return Unit.INSTANCE;
			});
		}
		if (this.outer != null) {
			this.outer.runs(job);
		}
	}

	/**
	 * Waits for the coroutines that run now, and for those that they start.
	 * @return completes when none is left, at once if there is none
	 */
	public CompletableFuture<Void> ended() {
		List<CompletableFuture<Unit>> ends = new ArrayList<>();
		for (Job job : this.running) {
			CompletableFuture<Unit> end = new CompletableFuture<>();
			ends.add(end);
			job.invokeOnCompletion((failure) -> {
				this.running.remove(job);
				end.complete(Unit.INSTANCE);
				return Unit.INSTANCE;
			});
		}
		return ends.isEmpty() ? CompletableFuture.completedFuture(null)
				: CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).thenCompose((all) -> ended());
	}

	private static final class Key implements CoroutineContext.Key<RunningCoroutines> {

	}

}
