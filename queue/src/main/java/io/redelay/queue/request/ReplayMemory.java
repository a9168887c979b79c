package io.redelay.queue.request;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.log.PlainLog;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * The memory of answered requests, so that an instance can repeat them when Redis goes
 * back in time: after a failover to a replica that lagged behind, or a restart with an
 * older snapshot. All lanes of an instance share the bytes, to send on as well as to
 * settle on. When they are used up, the oldest request of all lanes is forgotten first.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ReplayMemory implements AutoCloseable {

	/**
	 * Remembers nothing and notifies no listener.
	 */
	public static final ReplayMemory NONE = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
	});

	private static final Log logger = PlainLog.of(ReplayMemory.class);

	private final Duration duration;

	private final long maxBytes;

	private final Rollback.Listener listener;

	private final Scheduler scheduler;

	/**
	 * The requests that all lanes remember, by their age: of each number the lane that
	 * remembers the request. Its monitor guards all buffers. It is held for some
	 * instructions once a request, not once a message.
	 */
	private final Map<Long, ReplayBuffer<?>> requests = new LinkedHashMap<>();

	private long bytes;

	private long lastNumber;

	private final Set<Runnable> checks = Collections.synchronizedSet(new LinkedHashSet<>());

	private volatile boolean closed;

	/**
	 * Creates a memory.
	 * @param duration for how long a request is remembered; zero for none
	 * @param maxBytes how large all remembered requests are at most
	 * @param listener called when Redis went back in time
	 */
	public ReplayMemory(Duration duration, long maxBytes, Rollback.Listener listener) {
		this(duration, maxBytes, listener, Scheduler.unclosed(Runnable::run));
	}

	/**
	 * Creates a memory.
	 * @param duration for how long a request is remembered; zero for none
	 * @param maxBytes how large all remembered requests are at most
	 * @param listener called when Redis went back in time
	 * @param scheduler the clock and the timer of all lanes to send on and to claim on
	 */
	public ReplayMemory(Duration duration, long maxBytes, Rollback.Listener listener, Scheduler scheduler) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("'duration' must not be negative: " + duration);
		}
		if (maxBytes < 0) {
			throw new IllegalArgumentException("'maxBytes' must not be negative: " + maxBytes);
		}
		this.duration = duration;
		this.maxBytes = maxBytes;
		this.listener = listener;
		this.scheduler = scheduler;
	}

	/**
	 * Returns the clock and the timer of all lanes.
	 * @return the scheduler
	 */
	public Scheduler scheduler() {
		return this.scheduler;
	}

	/**
	 * For how long a request is remembered.
	 * @return the duration
	 */
	public Duration duration() {
		return this.duration;
	}

	/**
	 * Returns whether anything is remembered.
	 */
	boolean isEnabled() {
		return this.maxBytes > 0 && !this.duration.isZero() && !this.closed;
	}

	/**
	 * Stops remembering and checking lanes, as the application is closing.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.checks.clear();
	}

	/**
	 * Returns the lock of the buffers of all lanes.
	 */
	Object lock() {
		return this.requests;
	}

	/**
	 * Returns whether a request is too large to be remembered, even if all others were
	 * forgotten for it.
	 */
	boolean isTooLarge(long bytes) {
		return bytes > this.maxBytes;
	}

	/**
	 * Records that a lane remembers another request, the youngest of all. The oldest of
	 * all are forgotten if there are too many. To be called with the lock, after the lane
	 * has it.
	 * @param number the number that {@link #nextNumber} gave for it
	 */
	void remembered(long number, long bytes, ReplayBuffer<?> buffer) {
		this.requests.put(number, buffer);
		this.bytes += bytes;
		while (this.bytes > this.maxBytes) {
			this.requests.values().iterator().next().forgetOldest();
		}
	}

	/**
	 * Returns the number of the next request, of all lanes. To be called with the lock.
	 */
	long nextNumber() {
		return ++this.lastNumber;
	}

	/**
	 * Records that a lane has forgotten a request. To be called with the lock.
	 */
	void forgotten(long number, long bytes) {
		this.requests.remove(number);
		this.bytes -= bytes;
	}

	/**
	 * Adds a check for whenever Redis answers again, and so may have gone back in time.
	 * @param check the check, which must be quick
	 */
	public void watch(Runnable check) {
		if (this != NONE && !this.closed) {
			this.checks.add(check);
		}
	}

	/**
	 * Removes a check.
	 * @param check the check that was {@linkplain #watch given}
	 */
	public void unwatch(Runnable check) {
		this.checks.remove(check);
	}

	/**
	 * Checks all lanes of which something is remembered. To be called when Redis, or
	 * another one in its place, answers again.
	 */
	public void checkAll() {
		List.of(this.checks.toArray(Runnable[]::new)).forEach(Runnable::run);
	}

	/**
	 * Notifies the listener that Redis went back in time. An exception of the listener is
	 * logged; the lane goes on.
	 * @param rollback the findings and actions
	 */
	public void report(Rollback rollback) {
		try {
			this.listener.rolledBack(rollback);
		}
		catch (Throwable ex) {
			logger.warn(
					"The listener to rollbacks failed, which changes nothing for the queue '" + rollback.queue() + "'",
					ex);
		}
	}

}
