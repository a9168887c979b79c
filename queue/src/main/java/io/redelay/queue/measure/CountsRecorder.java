package io.redelay.queue.measure;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.redelay.log.PlainLog;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Counts what this instance does with the queues of one server, and writes it there every
 * 5 s, one request for each queue with new counts. With more than 500 such queues it
 * writes less often, so that there are 100 requests a second at most. While the server
 * does not take the counts, they are kept for an hour. Older ones are dropped, which is
 * logged once a minute at {@code DEBUG}. No thread waits for a request.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class CountsRecorder implements QueueMeter {

	/**
	 * How often counts are written.
	 */
	public static final Duration INTERVAL = Duration.ofSeconds(5);

	private static final Log logger = PlainLog.of(CountsRecorder.class);

	/**
	 * How much each request adds to the time between two rounds.
	 */
	private static final long PER_REQUEST = Duration.ofMillis(10).toNanos();

	/**
	 * How many requests are under way at a time.
	 */
	private static final int AT_A_TIME = 16;

	/**
	 * For how many queues counts are kept, the running ones and those to be written
	 * together. There are never as many busy ones within a minute.
	 */
	private static final int MAX_QUEUES = 20_000;

	/**
	 * After how many rounds without counts a queue is forgotten here: longer than its
	 * requests are repeated.
	 */
	private static final int QUIET_ROUNDS = 120;

	private static final long LOG_AGAIN = Duration.ofMinutes(1).toNanos();

	private final CountsWriter writer;

	private final Scheduler scheduler;

	private final Map<String, RunningCounts> counts = new ConcurrentHashMap<>();

	/**
	 * Only a round changes it, and only one round runs at a time.
	 */
	private final Map<String, PendingCounts> pending = new ConcurrentHashMap<>();

	/**
	 * The number of the last request of any queue: a queue that is forgotten here and
	 * used again must not begin with a number that Redis has seen.
	 */
	private final AtomicLong requests = new AtomicLong();

	/**
	 * Whether a round is scheduled. None is while there is nothing to write, so that an
	 * idle instance has no timer for it.
	 */
	private final AtomicBoolean awaited = new AtomicBoolean();

	private volatile boolean running;

	private @Nullable CompletableFuture<Void> round;

	/**
	 * Whether another round was requested while one was under way.
	 */
	private boolean missed;

	private volatile long notBefore;

	private volatile long loggedNanos;

	/**
	 * Creates a recorder.
	 * @param writer writes the counts
	 * @param scheduler the clock and the timer
	 */
	public CountsRecorder(CountsWriter writer, Scheduler scheduler) {
		this.writer = writer;
		this.scheduler = scheduler;
		this.notBefore = scheduler.nanoTime();
		this.loggedNanos = this.notBefore - 2 * LOG_AGAIN;
	}

	/**
	 * Begins to write.
	 */
	public void start() {
		this.running = true;
		if (!this.counts.isEmpty()) {
			awaitRound();
		}
	}

	/**
	 * Writes the remaining counts, and no more after that.
	 * @return a future that completes when they are written, or cannot be
	 */
	public CompletableFuture<Void> stop() {
		CompletableFuture<Void> present;
		synchronized (this) {
			this.running = false;
			present = this.round;
		}
		return (present != null) ? present.thenCompose((done) -> write()) : write();
	}

	/**
	 * Schedules a round after the interval, unless one is scheduled.
	 */
	private void awaitRound() {
		if (this.running && !this.awaited.get() && this.awaited.compareAndSet(false, true)) {
			long pause = Math.max(INTERVAL.toNanos(), this.notBefore - this.scheduler.nanoTime());
			if (this.scheduler.schedule(this::begin, pause) == null) {
				this.awaited.set(false);
			}
		}
	}

	private void begin() {
		this.awaited.set(false);
		if (this.running) {
			write();
		}
	}

	@Override
	public void sent(String queue, int messages, long nanos) {
		count(queue, (counts) -> counts.sent(messages));
	}

	@Override
	public void settled(String queue, Settled settled, long nanos) {
		count(queue, (counts) -> counts.settled(settled));
	}

	@Override
	public void handled(Handling handling) {
		count(handling.queue(), (counts) -> counts.handled(handling));
	}

	/**
	 * Counted for the first partition, which has the name of the queue.
	 */
	@Override
	public void failed(String queue, String listener, @Nullable String exception, String message) {
		count(queue, RunningCounts::failed);
	}

	private void count(String queue, Consumer<RunningCounts> counting) {
		RunningCounts counts = this.counts.get(queue);
		if (counts == null) {
			int queues = this.counts.size() + this.pending.size();
			if (queues >= MAX_QUEUES && !this.pending.containsKey(queue)) {
				dropped("there are more than " + MAX_QUEUES + " queues");
				return;
			}
			counts = this.counts.computeIfAbsent(queue, (name) -> new RunningCounts());
		}
		if (counts.add(counting)) {
			awaitRound();
		}
		else {
			// A round took these meanwhile: the next ones are begun.
			count(queue, counting);
		}
	}

	/**
	 * Writes all counts.
	 * @return a future that completes with the last answer, never exceptionally
	 */
	CompletableFuture<Void> write() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		Queue<String> queues = new ArrayDeque<>();
		synchronized (this) {
			if (this.round != null) {
				this.missed = true;
				return this.round;
			}
			this.round = done;
			take(queues);
			this.notBefore = this.scheduler.nanoTime() + queues.size() * PER_REQUEST;
		}
		CompletableFuture
			.allOf(IntStream.range(0, Math.min(AT_A_TIME, queues.size()))
				.mapToObj((line) -> writeInLine(queues))
				.toArray(CompletableFuture[]::new))
			.whenComplete((written, failure) -> end(done));
		return done;
	}

	private void end(CompletableFuture<Void> done) {
		boolean again = this.pending.values().stream().anyMatch(PendingCounts::isWaiting);
		synchronized (this) {
			this.round = null;
			again |= this.missed;
			this.missed = false;
		}
		if (again) {
			awaitRound();
		}
		done.complete(null);
	}

	/**
	 * Moves the running counts to the pending ones.
	 */
	private void take(Queue<String> queues) {
		long now = this.scheduler.nanoTime();
		this.counts.forEach((queue, counted) -> {
			this.counts.remove(queue);
			this.pending.computeIfAbsent(queue, (name) -> new PendingCounts()).add(counted.close(), now);
		});
		this.pending.forEach((queue, kept) -> {
			if (kept.drop(now)) {
				dropped("Redis did not take them in time");
			}
			if (!kept.take(now, this::nextRequest).isEmpty()) {
				queues.add(queue);
			}
			else if (kept.quiet() > QUIET_ROUNDS) {
				this.pending.remove(queue);
			}
		});
	}

	/**
	 * Writes the counts of the queues one after the other.
	 * @return completes when no queue is left
	 */
	private CompletableFuture<Void> writeInLine(Queue<String> queues) {
		for (String queue = poll(queues); queue != null; queue = poll(queues)) {
			PendingCounts kept = this.pending.get(queue);
			if (kept != null) {
				CompletableFuture<Void> answer = request(queue, kept);
				if (!answer.isDone()) {
					return answer.thenAccept((written) -> kept.written())
						.exceptionally((failure) -> null)
						.thenCompose((answered) -> writeInLine(queues));
				}
				if (!answer.isCompletedExceptionally()) {
					kept.written();
				}
			}
		}
		return CompletableFuture.completedFuture(null);
	}

	private synchronized @Nullable String poll(Queue<String> queues) {
		return queues.poll();
	}

	private CompletableFuture<Void> request(String queue, PendingCounts kept) {
		return AsyncCall.of(() -> {
			List<CountsWriter.Span> spans = kept.take(this.scheduler.nanoTime(), this::nextRequest);
			return this.writer.write(queue, kept.request(), spans);
		});
	}

	private long nextRequest() {
		return this.requests.incrementAndGet();
	}

	private void dropped(String why) {
		long now = this.scheduler.nanoTime();
		if (now - this.loggedNanos > LOG_AGAIN) {
			this.loggedNanos = now;
			logger.debug("Counts for the history of queues are dropped: " + why);
		}
	}

}
