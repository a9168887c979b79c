package io.redelay.queue.store.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntSupplier;

import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;

/**
 * Whether a Redis answers, as far as the requests of an instance show, and what its log
 * tells of it: one line when requests have been in vain for a second, one each minute,
 * and one when it answers again. While it does not, it is asked again and again, whether
 * the application has anything to ask or not.
 * <p>
 * One node of a cluster may be away while the others answer. So a request says which keys
 * it names: once it was in vain, only an answer for keys of the same hash tag shows that
 * Redis is back. Requests that may not tell nodes apart name none.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RedisAvailability implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisAvailability.class);

	private static final int LONGEST_REASON = 150;

	private final Scheduler scheduler;

	private final Duration reportAfter;

	private final Duration reminder;

	private final AtomicBoolean probing = new AtomicBoolean();

	private volatile IntSupplier listeners = () -> 0;

	private volatile Runnable whenBack = () -> {
	};

	private volatile @Nullable Function<List<Object>, CompletableFuture<?>> probe;

	private volatile long lastAnswerNanos;

	private volatile boolean away;

	/**
	 * What was asked for in vain, while Redis is away.
	 */
	private volatile List<Object> awayKeys = List.of();

	private volatile boolean closed;

	private long awaySinceNanos;

	/**
	 * How often it was away, so that what is to be told of one absence is not told of the
	 * next.
	 */
	private int absence;

	private boolean told;

	private String reason = "";

	/**
	 * Creates it for a server that is taken to be there.
	 * @param timer when to look again
	 */
	public RedisAvailability(ScheduledExecutorService timer) {
		this(Scheduler.of(timer, Runnable::run), Duration.ofSeconds(1), Duration.ofMinutes(1));
	}

	RedisAvailability(Scheduler scheduler, Duration reportAfter, Duration reminder) {
		this.scheduler = scheduler;
		this.lastAnswerNanos = scheduler.nanoTime();
		this.reportAfter = reportAfter;
		this.reminder = reminder;
	}

	/**
	 * Counts who claims again when the server is back.
	 * @param running how many listeners run
	 */
	public void countListeners(IntSupplier running) {
		this.listeners = running;
	}

	/**
	 * Says what to do when the server answers again, or another one in its place.
	 * @param action must not block
	 */
	public void whenBack(Runnable action) {
		this.whenBack = action;
	}

	/**
	 * Says how to find out whether the server answers.
	 * @param request sends a request that names the given keys, again and again while
	 * there is no answer
	 */
	void probeBy(Function<List<Object>, CompletableFuture<?>> request) {
		this.probe = request;
	}

	/**
	 * The server answered, whatever it said.
	 * @param keys which keys the request named
	 */
	void answered(List<Object> keys) {
		if (this.away && !tag(keys).equals(tag(this.awayKeys))) {
			return;
		}
		this.lastAnswerNanos = this.scheduler.nanoTime();
		if (this.away) {
			back();
		}
	}

	/**
	 * A request was in vain.
	 * @param sinceNanos when it began
	 * @param keys which keys it named
	 */
	void failed(Throwable failure, long sinceNanos, List<Object> keys) {
		logger.debug("Redis could not be asked", failure);
		suspect(reason(failure), sinceNanos, keys);
	}

	/**
	 * A request has waited for long.
	 * @param sinceNanos when it began
	 */
	void silent(long sinceNanos) {
		if (sinceNanos - this.lastAnswerNanos > 0) {
			suspect("no answer", sinceNanos, List.of());
		}
	}

	/**
	 * Asks the server whether it is there. To be called when there is a doubt.
	 */
	public void check() {
		Function<List<Object>, CompletableFuture<?>> request = this.probe;
		if (request != null && !this.closed && this.probing.compareAndSet(false, true)) {
			request.apply(this.away ? this.awayKeys : List.of()).whenComplete((answer, failure) -> {
				this.probing.set(false);
				if (failure == null || !this.away) {
					this.whenBack.run();
				}
				if (this.away) {
					later(this::check, this.reportAfter);
				}
			});
		}
	}

	/**
	 * Tells nothing any more, as the application is closing.
	 */
	@Override
	public void close() {
		this.closed = true;
	}

	private void suspect(String why, long sinceNanos, List<Object> keys) {
		int absence;
		synchronized (this) {
			if (!this.away || tag(keys).equals(tag(this.awayKeys))) {
				this.reason = why;
			}
			if (this.away || this.closed) {
				return;
			}
			absence = ++this.absence;
			this.awayKeys = keys;
			this.away = true;
			this.told = false;
			this.awaySinceNanos = (sinceNanos - this.lastAnswerNanos > 0) ? sinceNanos : this.lastAnswerNanos;
		}
		// If it was this process that stood still, the answers are there by then.
		Duration least = this.reportAfter.dividedBy(5);
		Duration rest = this.reportAfter.minus(awayFor());
		later(() -> tell(absence), (rest.compareTo(least) > 0) ? rest : least);
		check();
	}

	private void tell(int absence) {
		synchronized (this) {
			if (!this.away || this.closed || absence != this.absence) {
				return;
			}
			if (this.lastAnswerNanos - this.awaySinceNanos <= 0) {
				logger.warn("Redis has been away for " + words(awayFor()) + " (" + this.reason
						+ "): it is asked again every second, and what is sent meanwhile fails after"
						+ " 'redelay.queue.resend-timeout'");
				this.told = true;
				later(() -> tell(absence), this.reminder);
				return;
			}
		}
		back();
	}

	private void back() {
		synchronized (this) {
			if (!this.away || this.closed) {
				return;
			}
			this.away = false;
			if (this.told) {
				logger.info("Redis is back after " + words(awayFor()) + ", " + this.listeners.getAsInt()
						+ " listener(s) claiming");
			}
		}
	}

	private synchronized Duration awayFor() {
		return Duration.ofNanos(this.scheduler.nanoTime() - this.awaySinceNanos);
	}

	private void later(Runnable action, Duration delay) {
		this.scheduler.schedule(action, delay);
	}

	private static String words(Duration duration) {
		long seconds = duration.plusMillis(500).toSeconds();
		return (seconds < 120) ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
	}

	/**
	 * What decides which node of a cluster has the keys.
	 */
	private static String tag(List<Object> keys) {
		String key = keys.isEmpty() ? "" : keys.get(0).toString();
		int start = key.indexOf('{');
		int end = key.indexOf('}', start + 1);
		return (start >= 0 && end > start + 1) ? key.substring(start + 1, end) : key;
	}

	/**
	 * In few words, and without the command that the client's messages quote, for that
	 * has payloads.
	 */
	private static String reason(Throwable failure) {
		if (failure instanceof RedisTimeoutException) {
			return "no answer in time";
		}
		if (failure instanceof RedisReconnectedException || failure instanceof WriteRedisConnectionException) {
			return "the connection was closed";
		}
		if (failure instanceof RedisNodeNotFoundException) {
			return "the node that has the keys is not known yet";
		}
		Throwable cause = failure;
		while (!(cause instanceof IOException) && cause.getCause() != null) {
			cause = cause.getCause();
		}
		String message = String.valueOf(cause.getMessage()).split("\\. channel: |\\. Node source: ", 2)[0];
		return (message.length() > LONGEST_REASON) ? message.substring(0, LONGEST_REASON) + "…" : message;
	}

}
