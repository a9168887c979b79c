package io.redelay.queue.wire;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntSupplier;

import io.redelay.log.PlainLog;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;

/**
 * Knows from the requests of an instance whether Redis answers. It logs one line when
 * requests have failed for a second, one each minute, and one when Redis answers again.
 * While Redis is away, it is asked regularly, even if the application sends no request.
 * <p>
 * One node of a cluster may be away while the others answer. So a request comes with the
 * keys that it names: once it failed, only an answer for keys of the same hash tag shows
 * that Redis is back. Requests that do not depend on the node name none.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RedisAvailability implements AutoCloseable {

	private static final Log logger = PlainLog.of(RedisAvailability.class);

	private static final int LONGEST_REASON = 150;

	private final Scheduler scheduler;

	private final Duration reportAfter;

	private final Duration reminder;

	private final AtomicBoolean probing = new AtomicBoolean();

	private volatile IntSupplier listeners = () -> 0;

	private volatile Runnable whenBack = () -> {
	};

	private volatile @Nullable Function<List<Object>, CompletableFuture<?>> probe;

	private volatile @Nullable WireGate gate;

	private volatile long lastAnswerNanos;

	private volatile boolean away;

	/**
	 * The keys of the request that failed, while Redis is away.
	 */
	private volatile List<Object> awayKeys = List.of();

	private volatile boolean closed;

	private long awaySinceNanos;

	/**
	 * How often Redis was away, so that a report due for one absence is not logged for
	 * the next.
	 */
	private int absence;

	private boolean logged;

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
	 * Sets how to count the listeners that claim again when the server is back.
	 * @param running how many listeners run
	 */
	public void countListeners(IntSupplier running) {
		this.listeners = running;
	}

	/**
	 * Sets the action for when the server answers again, or another one in its place.
	 * @param action must not block
	 */
	public void whenBack(Runnable action) {
		this.whenBack = action;
	}

	/**
	 * Sets the gate that requests pass.
	 * @param gate lets this instance use the server only if its version can
	 */
	public void guardBy(WireGate gate) {
		this.gate = gate;
	}

	@Nullable WireGate gate() {
		return this.gate;
	}

	/**
	 * Sets the request that checks whether the server answers.
	 * @param request sends a request that names the given keys, and repeats it while
	 * there is no answer
	 */
	void probeBy(Function<List<Object>, CompletableFuture<?>> request) {
		this.probe = request;
	}

	/**
	 * Records that the server answered, with a result or an error.
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
	 * Records that a request failed.
	 * @param sinceNanos when it began
	 * @param keys which keys it named
	 */
	void failed(Throwable failure, long sinceNanos, List<Object> keys) {
		logger.debug("Redis could not be asked", failure);
		suspect(reason(failure), sinceNanos, keys);
	}

	/**
	 * Records that a request has waited for long.
	 * @param sinceNanos when it began
	 */
	void silent(long sinceNanos) {
		if (sinceNanos - this.lastAnswerNanos > 0) {
			suspect("no answer", sinceNanos, List.of());
		}
	}

	/**
	 * Asks the server whether it is there. To be called when that is in doubt.
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
	 * Stops logging, as the application is closing.
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
			this.logged = false;
			this.awaySinceNanos = (sinceNanos - this.lastAnswerNanos > 0) ? sinceNanos : this.lastAnswerNanos;
		}
		// If this process stood still, the answers have arrived by that time.
		Duration least = this.reportAfter.dividedBy(5);
		Duration rest = this.reportAfter.minus(awayFor());
		later(() -> logAway(absence), (rest.compareTo(least) > 0) ? rest : least);
		check();
	}

	private void logAway(int absence) {
		synchronized (this) {
			if (!this.away || this.closed || absence != this.absence) {
				return;
			}
			if (this.lastAnswerNanos - this.awaySinceNanos <= 0) {
				logger.warn("Redis has been away for " + words(awayFor()) + " (" + this.reason
						+ "): it is asked again every second, and what is sent meanwhile fails after"
						+ " 'redelay.queue.resend-timeout'");
				this.logged = true;
				later(() -> logAway(absence), this.reminder);
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
			if (this.logged) {
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
	 * Returns the hash tag, which decides which node of a cluster has the keys.
	 */
	private static String tag(List<Object> keys) {
		String key = keys.isEmpty() ? "" : keys.get(0).toString();
		int start = key.indexOf('{');
		int end = key.indexOf('}', start + 1);
		return (start >= 0 && end > start + 1) ? key.substring(start + 1, end) : key;
	}

	/**
	 * Returns a short reason, without the command that the client's messages quote, as it
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
