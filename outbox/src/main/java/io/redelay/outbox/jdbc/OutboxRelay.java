package io.redelay.outbox.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import io.redelay.outbox.OutboxListener;
import io.redelay.outbox.jdbc.OutboxRow.Destination;
import io.redelay.queue.message.NewMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * The relays of an instance, from the start of the application until it closes. They stop
 * after listeners and web servers, which may write to the outbox until then.
 */
final class OutboxRelay implements SmartLifecycle {

	private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

	private final OutboxTable table;

	private final BiConsumer<Destination, List<NewMessage>> sender;

	private final RelaySettings settings;

	private final List<OutboxListener> listeners;

	private final FailureLog failures = new FailureLog();

	private volatile @Nullable Running running;

	OutboxRelay(OutboxTable table, BiConsumer<Destination, List<NewMessage>> sender, RelaySettings settings,
			List<OutboxListener> listeners) {
		this.table = table;
		this.sender = sender;
		this.settings = settings;
		this.listeners = listeners;
	}

	@Override
	public void start() {
		if (this.running == null && this.settings.relays() > 0) {
			Running started = new Running(IntStream.range(0, this.settings.relays())
				.mapToObj((i) -> new RelayWorker(() -> round().run(), this.settings.pollInterval()))
				.toList(), new CountDownLatch(this.settings.relays()));
			this.running = started;
			SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("redelay-outbox-");
			threads.setDaemon(true);
			started.workers().forEach((worker) -> run(threads, worker, started.ended()));
		}
	}

	private static void run(AsyncTaskExecutor threads, RelayWorker worker, CountDownLatch ended) {
		threads.execute(() -> {
			try {
				worker.run();
			}
			finally {
				ended.countDown();
			}
		});
	}

	private RelayRound round() {
		return new RelayRound(this.table, this.sender, this.settings, this.listeners, this.failures);
	}

	/**
	 * Has a relay look at once.
	 */
	void wake() {
		workers().forEach(RelayWorker::wake);
	}

	/**
	 * Has a relay that waits for Redis go on.
	 */
	void redisIsBack() {
		workers().forEach(RelayWorker::redisIsBack);
	}

	private List<RelayWorker> workers() {
		Running current = this.running;
		return (current != null) ? current.workers() : List.of();
	}

	/**
	 * The messages that a relay has in hand when the time is up stay in the outbox until
	 * their lease ends.
	 */
	@Override
	public void stop() {
		Running current = this.running;
		this.running = null;
		if (current != null) {
			current.workers().forEach(RelayWorker::stop);
			try {
				current.ended().await(LONGEST_STOP.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public boolean isRunning() {
		return this.running != null;
	}

	@Override
	public int getPhase() {
		return DEFAULT_PHASE - 4096;
	}

	/**
	 * The relays of one start.
	 */
	private record Running(List<RelayWorker> workers, CountDownLatch ended) {

	}

}
