package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.redisson.api.RBlockingQueue;

/**
 * Threads that take messages until they are stopped.
 */
final class Workers implements AutoCloseable {

	private static final Duration WAIT = Duration.ofSeconds(1);

	private static final Duration END = Duration.ofSeconds(10);

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean closed;

	private volatile @Nullable RuntimeException failure;

	/**
	 * Starts a thread that does a turn again and again.
	 */
	void start(Turn turn) {
		Thread thread = new Thread(() -> {
			try {
				while (!this.closed) {
					turn.take();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (RuntimeException ex) {
				if (!this.closed) {
					this.failure = ex;
				}
			}
		}, "worker-" + this.threads.size());
		this.threads.add(thread);
		thread.start();
	}

	/**
	 * Starts threads that handle what is in a queue.
	 */
	void poll(RBlockingQueue<Order> queue, int count, OrderHandler handler) {
		for (int i = 0; i < count; i++) {
			start(() -> {
				Order order = queue.poll(WAIT.toMillis(), TimeUnit.MILLISECONDS);
				if (order != null) {
					handler.accept(order);
				}
			});
		}
	}

	/**
	 * Throws what made a worker end.
	 */
	void check() {
		RuntimeException ex = this.failure;
		if (ex != null) {
			throw new IllegalStateException("A worker has failed", ex);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			for (Thread thread : this.threads) {
				thread.join(END.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Takes what is there, and handles it.
	 */
	@FunctionalInterface
	interface Turn {

		void take() throws InterruptedException;

	}

}
