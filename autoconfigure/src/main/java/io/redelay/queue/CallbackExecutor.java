package io.redelay.queue;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs what completes futures. Most of it is short, and many complete together, so that a
 * thread for each would cost more than all the rest: one thread runs them one after the
 * other, and another one joins in whenever one has waited for a millisecond, for each may
 * block for as long as it likes.
 * <p>
 * Safe for use by many threads.
 */
final class CallbackExecutor implements Executor {

	private static final long PATIENCE_NANOS = 1_000_000;

	private final Executor threads;

	private final Executor later;

	private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicBoolean watched = new AtomicBoolean();

	/**
	 * Creates an executor.
	 * @param threads gives threads, as many as are asked for
	 */
	CallbackExecutor(Executor threads) {
		this.threads = threads;
		this.later = CompletableFuture.delayedExecutor(10 * PATIENCE_NANOS, TimeUnit.NANOSECONDS, threads);
	}

	/**
	 * Runs a callback.
	 * @throws java.util.concurrent.RejectedExecutionException if there are no threads any
	 * more; the callback does not run then
	 */
	@Override
	public void execute(Runnable callback) {
		Waiting entry = new Waiting(callback, System.nanoTime());
		this.waiting.add(entry);
		try {
			if (this.running.get() == 0 || isLate()) {
				join(this.threads);
			}
			else if (this.watched.compareAndSet(false, true)) {
				this.later.execute(this::watch);
			}
		}
		catch (RuntimeException ex) {
			if (this.waiting.remove(entry)) {
				throw ex;
			}
		}
	}

	private boolean isLate() {
		Waiting first = this.waiting.peek();
		return first != null && System.nanoTime() - first.since > PATIENCE_NANOS;
	}

	private void join(Executor executor) {
		this.running.incrementAndGet();
		try {
			executor.execute(this::run);
		}
		catch (RuntimeException ex) {
			this.running.decrementAndGet();
			throw ex;
		}
	}

	private void run() {
		do {
			for (Waiting next = this.waiting.poll(); next != null; next = this.waiting.poll()) {
				next.run();
			}
			this.running.decrementAndGet();
		}
		while (!this.waiting.isEmpty() && this.running.compareAndSet(0, 1));
	}

	/**
	 * The last ones have nobody behind them who would notice that they are late.
	 */
	private void watch() {
		this.watched.set(false);
		if (this.waiting.isEmpty()) {
			return;
		}
		if (this.watched.compareAndSet(false, true)) {
			this.later.execute(this::watch);
		}
		if (isLate()) {
			this.running.incrementAndGet();
			run();
		}
	}

	/**
	 * What waits. Not a record: each is only equal to itself.
	 */
	private static final class Waiting {

		private final Runnable callback;

		private final long since;

		Waiting(Runnable callback, long since) {
			this.callback = callback;
			this.since = since;
		}

		void run() {
			try {
				this.callback.run();
			}
			catch (Throwable ex) {
				Thread thread = Thread.currentThread();
				thread.getUncaughtExceptionHandler().uncaughtException(thread, ex);
			}
		}

	}

}
