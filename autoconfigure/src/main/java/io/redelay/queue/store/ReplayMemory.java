package io.redelay.queue.store;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.Assert;

/**
 * How much an instance remembers of what Redis has answered, so that it can be repeated
 * when Redis goes back in time: after a failover to a replica that lagged behind, or a
 * restart with an older snapshot. All lanes of an instance share the bytes.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ReplayMemory implements AutoCloseable {

	/**
	 * Remembers nothing and tells nobody.
	 */
	public static final ReplayMemory NONE = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
	});

	private static final Log logger = LogFactory.getLog(ReplayMemory.class);

	private final Duration duration;

	private final long maxBytes;

	private final RollbackListener listener;

	private final Scheduler scheduler;

	private final AtomicLong bytes = new AtomicLong();

	private final Set<Runnable> checks = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Creates a memory.
	 * @param duration for how long a request is remembered; zero for none
	 * @param maxBytes how large all that is remembered is at most
	 * @param listener is told when Redis went back in time
	 */
	public ReplayMemory(Duration duration, long maxBytes, RollbackListener listener) {
		this(duration, maxBytes, listener, Scheduler.unclosed(Runnable::run));
	}

	/**
	 * Creates a memory.
	 * @param duration for how long a request is remembered; zero for none
	 * @param maxBytes how large all that is remembered is at most
	 * @param listener is told when Redis went back in time
	 * @param scheduler the clock and the timer of all lanes to send on and to claim on
	 */
	public ReplayMemory(Duration duration, long maxBytes, RollbackListener listener, Scheduler scheduler) {
		Assert.isTrue(!duration.isNegative(), () -> "'duration' must not be negative: " + duration);
		Assert.isTrue(maxBytes >= 0, () -> "'maxBytes' must not be negative: " + maxBytes);
		this.duration = duration;
		this.maxBytes = maxBytes;
		this.listener = listener;
		this.scheduler = scheduler;
	}

	/**
	 * The clock and the timer of all lanes.
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
	 * Whether anything is remembered.
	 */
	boolean isEnabled() {
		return this.maxBytes > 0 && !this.duration.isZero() && !this.closed;
	}

	/**
	 * Ends remembering and the checks of lanes: the application is closing.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.checks.clear();
	}

	boolean isFull() {
		return this.bytes.get() > this.maxBytes;
	}

	void took(long bytes) {
		this.bytes.addAndGet(bytes);
	}

	void freed(long bytes) {
		this.bytes.addAndGet(-bytes);
	}

	/**
	 * Has something checked whenever Redis may have gone back in time.
	 * @param check is run then, and must be quick
	 */
	public void watch(Runnable check) {
		this.checks.add(check);
	}

	/**
	 * Has something no longer checked.
	 * @param check what was {@linkplain #watch given}
	 */
	public void unwatch(Runnable check) {
		this.checks.remove(check);
	}

	/**
	 * Checks all lanes of which something is remembered. To be called when Redis, or
	 * another one in its place, answers again.
	 */
	public void checkAll() {
		this.checks.forEach(Runnable::run);
	}

	/**
	 * Tells the listener that Redis went back in time. An exception of the listener is
	 * logged; the lane goes on.
	 * @param rollback what was found and done
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
