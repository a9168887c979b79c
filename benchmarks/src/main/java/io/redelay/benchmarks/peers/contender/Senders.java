package io.redelay.benchmarks.peers.contender;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

/**
 * The ways in which messages are sent. Each returns when the last one is sent, and throws
 * if one was not.
 */
final class Senders {

	private static final int THREADS = 16;

	private static final int VIRTUAL_THREADS = 256;

	private static final int ON_THEIR_WAY = 16;

	private static final int TOGETHER = 100;

	void one(int first, int count, IntConsumer send) {
		for (int number = first; number < first + count; number++) {
			send.accept(number);
		}
	}

	void threads(int first, int count, IntConsumer send) {
		share(Executors.newFixedThreadPool(THREADS), THREADS, first, count, send);
	}

	void virtualThreads(int first, int count, IntConsumer send) {
		share(virtualExecutor(), VIRTUAL_THREADS, first, count, send);
	}

	void futures(int first, int count, IntFunction<CompletionStage<?>> send) {
		Semaphore places = new Semaphore(ON_THEIR_WAY);
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		for (int number = first; number < first + count; number++) {
			places.acquireUninterruptibly();
			send.apply(number).whenComplete((sent, thrown) -> {
				if (thrown != null) {
					failure.set(thrown);
				}
				places.release();
			});
		}
		places.acquireUninterruptibly(ON_THEIR_WAY);
		Throwable thrown = failure.get();
		if (thrown != null) {
			throw new IllegalStateException("A send failed", thrown);
		}
	}

	void bulk(int first, int count, IntFunction<Order> make, Consumer<List<Order>> send) {
		for (int begin = first; begin - first < count; begin += TOGETHER) {
			int size = Math.min(TOGETHER, count - (begin - first));
			List<Order> orders = new ArrayList<>(size);
			for (int i = 0; i < size; i++) {
				orders.add(make.apply(begin + i));
			}
			send.accept(orders);
		}
	}

	void paced(int first, int count, int perSecond, IntConsumer send) {
		long start = System.nanoTime();
		for (int i = 0; i < count; i++) {
			long due = start + i * 1_000_000_000L / perSecond;
			for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
				LockSupport.parkNanos(wait);
			}
			send.accept(first + i);
		}
	}

	private static void share(ExecutorService executor, int threads, int first, int count, IntConsumer send) {
		AtomicInteger sent = new AtomicInteger();
		List<Future<?>> senders = new ArrayList<>(threads);
		for (int i = 0; i < threads; i++) {
			senders.add(executor.submit(() -> {
				for (int n = sent.getAndIncrement(); n < count; n = sent.getAndIncrement()) {
					send.accept(first + n);
				}
			}));
		}
		try {
			for (Future<?> sender : senders) {
				await(sender);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static void await(Future<?> sender) {
		try {
			sender.get(1, TimeUnit.HOURS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof NotOfferedException notOffered) {
				throw notOffered;
			}
			throw new IllegalStateException("A send failed", ex.getCause());
		}
		catch (Exception ex) {
			throw new IllegalStateException("Sending did not end", ex);
		}
	}

	private static ExecutorService virtualExecutor() {
		try {
			return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
		}
		catch (NoSuchMethodException ex) {
			throw new NotOfferedException("no virtual threads before JDK 21");
		}
		catch (IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException("Cannot start virtual threads", ex);
		}
	}

}
