package io.redelay.queue.send;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CallbackExecutor}.
 */
class CallbackExecutorTests {

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final AtomicInteger asked = new AtomicInteger();

	private final AtomicInteger done = new AtomicInteger();

	private final CountDownLatch gate = new CountDownLatch(1);

	private final CallbackExecutor callbacks = new CallbackExecutor((task) -> {
		this.asked.incrementAndGet();
		this.threads.execute(task);
	});

	@AfterEach
	void close() {
		this.gate.countDown();
		this.threads.shutdownNow();
	}

	@Test
	void callbacksThatComeTogetherShareThreads() {
		int most = Integer.MAX_VALUE;
		for (int round = 1; round <= 20; round++) {
			int before = this.asked.get();
			for (int i = 0; i < 1_000; i++) {
				this.callbacks.execute(this.done::incrementAndGet);
			}
			int all = round * 1_000;
			Awaitility.await().until(() -> this.done.get() == all);
			most = Math.min(most, this.asked.get() - before);
		}
		// In the round that was disturbed least.
		assertThat(most).isLessThan(200);
	}

	@Test
	void theLastOneDoesNotWaitForOneThatBlocks() {
		this.callbacks.execute(() -> await(this.gate));
		this.callbacks.execute(this.done::incrementAndGet);
		Awaitility.await().until(() -> this.done.get() == 1);
		assertThat(this.gate.getCount()).isOne();
	}

	@Test
	void aCallbackThatWaitsForOthersOneByOneWaitsForNothingElse() {
		int most = Integer.MAX_VALUE;
		for (int round = 1; round <= 20 && most >= 150; round++) {
			int before = this.asked.get();
			this.callbacks.execute(() -> {
				for (int i = 0; i < 100; i++) {
					CountDownLatch other = new CountDownLatch(1);
					this.callbacks.execute(other::countDown);
					await(other);
					this.done.incrementAndGet();
				}
			});
			int all = round * 100;
			Awaitility.await().until(() -> this.done.get() == all);
			most = Math.min(most, this.asked.get() - before);
		}
		// In the round that was disturbed least, not each of them was left to the watch,
		// which asks for two threads: to look and to run.
		assertThat(most).isLessThan(150);
	}

	@Test
	void anInterruptIsNotHandedOnToTheNextOne() {
		AtomicInteger interrupted = new AtomicInteger();
		for (int i = 0; i < 100; i++) {
			this.callbacks.execute(() -> {
				interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
				Thread.currentThread().interrupt();
				this.done.incrementAndGet();
			});
		}
		Awaitility.await().until(() -> this.done.get() == 100);
		assertThat(interrupted.get()).isZero();
	}

	@Test
	void whatComesWhileTheThreadsAreClosedAndAnotherOneBlocksIsNotForgotten() {
		CountDownLatch running = new CountDownLatch(1);
		this.callbacks.execute(() -> {
			running.countDown();
			await(this.gate);
		});
		await(running);
		this.threads.shutdown();
		try {
			this.callbacks.execute(this.done::incrementAndGet);
		}
		catch (RejectedExecutionException ex) {
			// The caller runs it.
			this.done.incrementAndGet();
		}
		Awaitility.await().until(() -> this.done.get() == 1);
	}

	@Test
	void anErrorInPlaceOfAThreadLeavesNothingBehind() {
		AtomicInteger errors = new AtomicInteger(1);
		CallbackExecutor poor = new CallbackExecutor((task) -> {
			if (errors.getAndDecrement() > 0) {
				throw new OutOfMemoryError("expected");
			}
			this.asked.incrementAndGet();
			this.threads.execute(task);
		});
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> poor.execute(() -> this.done.addAndGet(100)));
		poor.execute(this.done::incrementAndGet);
		assertThat(this.asked.get()).as("a thread at once").isOne();
		Awaitility.await().until(() -> this.done.get() == 1);
	}

	@Test
	void asManyBlockAtATimeAsLike() {
		CountDownLatch all = new CountDownLatch(20);
		for (int i = 0; i < 20; i++) {
			this.callbacks.execute(() -> {
				all.countDown();
				await(all);
				this.done.incrementAndGet();
			});
		}
		Awaitility.await().until(() -> this.done.get() == 20);
	}

	@Test
	void oneThatFailsDoesNotKeepTheOthers() {
		this.callbacks.execute(() -> {
			throw new IllegalStateException("expected");
		});
		this.callbacks.execute(this.done::incrementAndGet);
		Awaitility.await().until(() -> this.done.get() == 1);
		this.callbacks.execute(this.done::incrementAndGet);
		Awaitility.await().until(() -> this.done.get() == 2);
	}

	@Test
	void oneThatFindsNoThreadIsRefusedAndDoesNotRunLater() {
		AtomicInteger refusals = new AtomicInteger(1);
		CallbackExecutor closing = new CallbackExecutor((task) -> {
			if (refusals.getAndDecrement() > 0) {
				throw new RejectedExecutionException("closed");
			}
			this.threads.execute(task);
		});
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> closing.execute(() -> this.done.addAndGet(100)));
		closing.execute(this.done::incrementAndGet);
		Awaitility.await().until(() -> this.done.get() > 0);
		assertThat(this.done.get()).isOne();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
