package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.queue.request.StoreException;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action for one queue after the other, in rounds. A queue that fails does not
 * keep the round from the others, and each round begins behind the queue with which the
 * last one began.
 * <p>
 * Failures are logged once in {@link #LOG_PAUSE} at most, but for those of a Redis that
 * is away, which is logged elsewhere.
 * <p>
 * Safe for use by many threads, of which one at a time begins a round.
 *
 * @since 0.1.0
 */
public final class QueueRound {

	/**
	 * The least time between two lines of the log.
	 */
	public static final Duration LOG_PAUSE = Duration.ofMinutes(10);

	private final Scheduler clock;

	private final Consumer<String> log;

	private volatile @Nullable String first;

	private volatile @Nullable Long loggedNanos;

	/**
	 * Creates it.
	 * @param clock the clock
	 * @param log writes into the log for which queue it failed, and why
	 */
	public QueueRound(Scheduler clock, Consumer<String> log) {
		this.clock = clock;
		this.log = log;
	}

	/**
	 * Runs the action for all queues.
	 * @param queues the queues
	 * @param action does it for one queue
	 * @return a future that completes when it was done or failed for each
	 */
	public CompletableFuture<Void> go(Collection<String> queues, Function<String, CompletableFuture<Void>> action) {
		TreeSet<String> sorted = new TreeSet<>(queues);
		String before = this.first;
		List<String> turn = new ArrayList<>((before != null) ? sorted.tailSet(before, false) : sorted);
		turn.addAll((before != null) ? sorted.headSet(before, true) : List.of());
		this.first = turn.isEmpty() ? null : turn.get(0);
		return each(turn, (queue) -> AsyncCall.of(() -> action.apply(queue)).exceptionally((failure) -> {
			failed("the queue '" + queue + "'", failure);
			return null;
		}));
	}

	/**
	 * Logs a failure, unless one was logged lately.
	 * @param what for what it failed
	 * @param failure why
	 */
	public void failed(String what, Throwable failure) {
		Long before = this.loggedNanos;
		long now = this.clock.nanoTime();
		if (!StoreException.isAway(failure) && (before == null || now - before >= LOG_PAUSE.toNanos())) {
			this.loggedNanos = now;
			this.log.accept(what + ", which is tried again: " + failure.getMessage());
		}
	}

	/**
	 * Runs an action for one item after the other, for each even if others fail.
	 * @param things the things
	 * @param action does it for one
	 * @return a future that completes at the end, with the first failure if there was one
	 */
	public static <T> CompletableFuture<Void> each(Collection<T> things, Function<T, CompletableFuture<Void>> action) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		next(things.iterator(), action, done, null);
		return done;
	}

	private static <T> void next(Iterator<T> things, Function<T, CompletableFuture<Void>> action,
			CompletableFuture<Void> done, @Nullable Throwable failure) {
		Throwable first = failure;
		while (things.hasNext()) {
			T thing = things.next();
			CompletableFuture<Void> present = AsyncCall.of(() -> action.apply(thing));
			if (!present.isDone()) {
				Throwable before = first;
				present.whenComplete((ended, thrown) -> next(things, action, done, (before != null) ? before : thrown));
				return;
			}
			Throwable thrown = present.handle((ended, ex) -> ex).join();
			first = (first != null) ? first : thrown;
		}
		if (first != null) {
			done.completeExceptionally(first);
		}
		else {
			done.complete(null);
		}
	}

}
