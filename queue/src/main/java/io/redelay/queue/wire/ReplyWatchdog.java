package io.redelay.queue.wire;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

import io.redelay.scheduling.Scheduler;

/**
 * Limits the wait for the client itself, which has a shorter limit for each of its steps.
 * A failure that the client swallowed must not keep a lane waiting for ever, or for
 * longer than its request is worth repeating.
 * <p>
 * One look at all awaited futures a second is enough for a limit that hardly ever
 * matters. A task for each request would wake the thread of a timer each time.
 */
final class ReplyWatchdog {

	/**
	 * The time between two looks at the awaited futures.
	 */
	private static final Duration LOOK = Duration.ofSeconds(1);

	/**
	 * The time after which an answer takes long.
	 */
	private static final Duration LONG = Duration.ofSeconds(2);

	private final long nanos;

	private final LongConsumer silent;

	private final long lookNanos;

	private final Scheduler scheduler;

	private final Set<Awaited> awaited = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean looking = new AtomicBoolean();

	/**
	 * Creates the limit.
	 * @param limit how long to wait at least; it may be a twentieth or a second more
	 * @param silent called at each look with the time since which a future takes long
	 * @param scheduler when to look; its timer is not closed, or nothing would fail any
	 * more
	 */
	ReplyWatchdog(Duration limit, LongConsumer silent, Scheduler scheduler) {
		this.nanos = limit.toNanos();
		this.silent = silent;
		this.lookNanos = Math.min(this.nanos / 20, LOOK.toNanos());
		this.scheduler = scheduler;
	}

	/**
	 * Fails a future with a {@link TimeoutException} if nothing completes it in time.
	 * @param moreNanos how much longer than others it may take
	 */
	<T> CompletableFuture<T> limit(CompletableFuture<T> future, long moreNanos) {
		if (!future.isDone()) {
			Awaited entry = new Awaited(future, this.scheduler.nanoTime(), this.nanos + moreNanos);
			this.awaited.add(entry);
			future.whenComplete((value, failure) -> this.awaited.remove(entry));
			lookLater();
		}
		return future;
	}

	private void lookLater() {
		if (!this.looking.get() && this.looking.compareAndSet(false, true)
				&& this.scheduler.schedule(this::look, this.lookNanos) == null) {
			// The next awaited future tries again.
			this.looking.set(false);
		}
	}

	private void look() {
		long now = this.scheduler.nanoTime();
		for (Awaited each : this.awaited) {
			if (now - each.since >= LONG.toNanos()) {
				this.silent.accept(each.since);
			}
			if (now - each.since >= each.nanos) {
				each.future.completeExceptionally(new TimeoutException("No answer came, nor a failure"));
			}
		}
		this.looking.set(false);
		if (!this.awaited.isEmpty()) {
			lookLater();
		}
	}

	private record Awaited(CompletableFuture<?> future, long since, long nanos) {

	}

}
