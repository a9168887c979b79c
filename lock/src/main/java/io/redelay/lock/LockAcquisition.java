package io.redelay.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Takes the locks of one call one after the other, in the order of their keys, so that no
 * two calls wait for each other. In the end all of them are taken, or none.
 */
final class LockAcquisition {

	private final LockSpec spec;

	private final LockProvider provider;

	private final LockSettings settings;

	private final LockKey first;

	/**
	 * The keys of the locks that are not taken yet.
	 */
	private final List<LockKey> keys;

	private final @Nullable HeldLocks held;

	private final UsedLocks used;

	private final List<LockHold> taken = new ArrayList<>(1);

	private final Scheduler scheduler;

	private final long start;

	private final LockOrigin origin = LockOrigin.current();

	private final CompletableFuture<LockFrame> result = new CompletableFuture<>();

	private @Nullable CompletableFuture<?> pending;

	private boolean blocking;

	private boolean fresh;

	private int position;

	private boolean cancelled;

	LockAcquisition(LockSpec spec, List<LockKey> keys, LockProvider provider, LockSettings settings,
			@Nullable HeldLocks held, UsedLocks used, Scheduler scheduler) {
		this.spec = spec;
		this.first = keys.get(0);
		this.keys = ordered(keys);
		this.provider = provider;
		this.settings = settings;
		this.held = held;
		this.used = used;
		this.scheduler = scheduler;
		this.start = scheduler.nanoTime();
	}

	private static List<LockKey> ordered(List<LockKey> keys) {
		if (keys.size() == 1) {
			return keys;
		}
		Map<String, LockKey> ordered = new TreeMap<>();
		keys.forEach((key) -> ordered.put(key.key(), key));
		return List.copyOf(ordered.values());
	}

	LockSpec spec() {
		return this.spec;
	}

	LockOrigin origin() {
		return this.origin;
	}

	long elapsedNanos() {
		return this.scheduler.nanoTime() - this.start;
	}

	/**
	 * Starts to take the locks, without blocking.
	 * @return the locks, or one of {@link LockNotAcquiredException},
	 * {@link LockBackendException} and {@link LockException} for misuse
	 */
	CompletableFuture<LockFrame> start() {
		goOn();
		return this.result;
	}

	/**
	 * Takes the locks and blocks this thread meanwhile. This thread itself requests the
	 * next lock when the previous one is taken: a thread of the provider would have to be
	 * woken for it first.
	 * @return the same as {@link #start()}
	 * @throws InterruptedException if this thread is interrupted; the caller must then
	 * {@link #cancel()} the acquisition
	 */
	LockFrame await() throws InterruptedException, ExecutionException {
		this.blocking = true;
		return start().get();
	}

	/**
	 * Stops waiting. Locks that were taken, or are granted later, are released.
	 */
	void cancel() {
		if (!end(new CancellationException()) && !this.result.isCompletedExceptionally()) {
			this.result.join().abandon();
		}
	}

	/**
	 * Stops waiting and reports a failure, unless the acquisition has ended.
	 * @param failure the failure
	 * @return whether the acquisition had not ended yet
	 */
	boolean end(Throwable failure) {
		CompletableFuture<?> pending;
		synchronized (this) {
			this.cancelled = true;
			pending = this.pending;
		}
		// Completed before the pending request is cancelled, or that cancellation would
		// be reported as a failure
		// of Redis.
		boolean ended = this.result.completeExceptionally(failure);
		if (pending != null) {
			pending.cancel(true);
		}
		return ended;
	}

	/**
	 * Stops waiting because the application closes.
	 */
	void close() {
		end(closed());
	}

	private LockException closed() {
		return LockInterruptedException.closed(this.spec.names(), this.settings.giveBackDelay());
	}

	void onEnd(Runnable action) {
		this.result.whenComplete((frame, failure) -> action.run());
	}

	private void next() {
		while (this.position < this.keys.size()) {
			LockKey key = this.keys.get(this.position);
			if (!enterAgain(key) && !take(key)) {
				return;
			}
			this.position++;
		}
		if (!this.result
			.complete(new LockFrame(this.spec, this.taken, this.first, this.fresh, this.origin, this.scheduler))) {
			LockFrame.releaseAll(this.taken);
		}
	}

	private boolean enterAgain(LockKey key) {
		LockHold hold = (this.held != null) ? this.held.find(key) : null;
		if (hold == null) {
			return false;
		}
		if (hold.isReading() && isWriting()) {
			throw new LockException("The write lock " + this.spec.names() + " was asked for under the read lock of the"
					+ " same name, and would wait for itself. Take the write lock first, or end the read lock before");
		}
		if (!hold.enter()) {
			return false;
		}
		this.taken.add(hold);
		return true;
	}

	private boolean isWriting() {
		return this.spec.provider() == null && this.spec.type() == MyLockType.WRITE_LOCK;
	}

	private boolean isReading() {
		return this.spec.provider() == null && this.spec.type() == MyLockType.READ_LOCK;
	}

	/**
	 * Requests one lock.
	 * @return whether it was granted at once
	 */
	private boolean take(LockKey key) {
		if (this.used.isClosed()) {
			throw closed();
		}
		CompletableFuture<@Nullable LockHandle> future = this.provider
			.acquire(new LockRequest(key.key(), remainingWait(), this.spec.leaseTime(), this.spec.minHold()));
		if (future == null) {
			throw new IllegalStateException("The LockProvider '" + this.spec.provider()
					+ "' returned null. It gives a future, which completes with null if another holds the lock");
		}
		if (!future.isDone()) {
			waitFor(future);
		}
		if (future.isDone() && !future.isCompletedExceptionally()) {
			LockHandle handle = future.join();
			if (handle != null) {
				took(key, handle);
				return true;
			}
		}
		future.whenComplete((handle, failure) -> {
			if (handle != null) {
				took(key, handle);
				this.position++;
				goOn();
			}
			else {
				giveUp(failure);
			}
		});
		return false;
	}

	private void waitFor(CompletableFuture<?> future) {
		synchronized (this) {
			this.pending = future;
			if (this.cancelled) {
				future.cancel(true);
			}
		}
		this.used.waits(this);
		Duration limit = this.spec.answerTime();
		Long left = (limit != null) ? Math.max(0, limit.toNanos() - elapsedNanos()) : null;
		if (this.blocking) {
			block(future, left);
		}
		else if (left != null) {
			ScheduledTask end = this.scheduler.schedule(() -> end(noAnswer()), left);
			if (end != null) {
				future.whenComplete((handle, ex) -> end.cancel());
			}
		}
	}

	private void block(CompletableFuture<?> future, @Nullable Long nanos) {
		try {
			if (nanos != null) {
				future.get(nanos, TimeUnit.NANOSECONDS);
			}
			else {
				future.get();
			}
		}
		catch (InterruptedException ex) {
			// The caller that waits for the result sees the flag once the future can be
			// cancelled.
			Thread.currentThread().interrupt();
		}
		catch (TimeoutException ex) {
			end(noAnswer());
		}
		catch (ExecutionException | CancellationException ex) {
			// The future reports the failure.
		}
	}

	/**
	 * The failure of a provider that did not answer in time. A provider must report
	 * within the wait time that another holds the lock, or that its request failed.
	 */
	private LockBackendException noAnswer() {
		return new LockBackendException(this.spec.names(), this.settings.giveBackDelay(),
				new TimeoutException("Redis, or what else keeps the lock, did not answer within "
						+ this.spec.answerTime() + ". Find out why, or set a longer wait time"));
	}

	private void took(LockKey key, LockHandle handle) {
		this.taken.add(new LockHold(key, isReading(), handle, this.scheduler));
		this.fresh = true;
	}

	private void goOn() {
		if (isCancelled()) {
			LockFrame.releaseAll(this.taken);
			return;
		}
		try {
			next();
		}
		catch (Throwable ex) {
			giveUp(ex);
		}
	}

	private synchronized boolean isCancelled() {
		return this.cancelled;
	}

	private @Nullable Duration remainingWait() {
		Duration limit = this.spec.waitLimit();
		if (limit == null || this.position == 0 || limit.isZero()) {
			return limit;
		}
		Duration left = limit.minusNanos(elapsedNanos());
		return left.isNegative() ? Duration.ZERO : left;
	}

	/**
	 * Ends without the locks. Those that were taken are released first.
	 */
	private void giveUp(@Nullable Throwable failure) {
		Throwable outcome = outcome(failure);
		if (this.taken.isEmpty()) {
			this.result.completeExceptionally(outcome);
			return;
		}
		this.scheduler.limit(LockFrame.releaseAll(this.taken), this.settings.releaseTimeout())
			.whenComplete((released, ex) -> {
				if (ex != null) {
					outcome.addSuppressed(ex);
				}
				this.result.completeExceptionally(outcome);
			});
	}

	private Throwable outcome(@Nullable Throwable failure) {
		if (failure == null) {
			return new LockNotAcquiredException("The lock " + this.spec.names() + " is held by another"
					+ (this.spec.strategy().isWaiting() ? ", and was not free within " + this.spec.waitTime() : ""),
					this.spec.names(), this.settings.giveBackDelay(), null);
		}
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof LockException) ? cause
				: new LockBackendException(this.spec.names(), this.settings.giveBackDelay(), cause);
	}

}
