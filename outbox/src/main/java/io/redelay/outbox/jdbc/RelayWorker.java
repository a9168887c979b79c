package io.redelay.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * A relay: takes one batch after the other until the outbox is empty, and then waits
 * until it is woken, an interval has passed, or something that failed is to be tried
 * again.
 */
final class RelayWorker implements Runnable {

	private static final Log logger = PlainLog.of(RelayWorker.class);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	private final Supplier<RelayRound.Result> rounds;

	private final Duration pollInterval;

	private final Duration firstPause;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private boolean woken;

	/**
	 * Whether Redis has come back since the last round began.
	 */
	private boolean redisIsBack;

	private volatile boolean stopped;

	private @Nullable Duration pause;

	private boolean broken;

	private long nextTryNanos = Long.MAX_VALUE;

	RelayWorker(Supplier<RelayRound.Result> rounds, Duration pollInterval) {
		this(rounds, pollInterval, FIRST_PAUSE);
	}

	RelayWorker(Supplier<RelayRound.Result> rounds, Duration pollInterval, Duration firstPause) {
		this.rounds = rounds;
		this.pollInterval = pollInterval;
		this.firstPause = firstPause;
	}

	@Override
	public void run() {
		while (!this.stopped) {
			RelayRound.Result result = round();
			if (result == null || result.away()) {
				pause(result != null);
			}
			else {
				this.pause = null;
				if (result.taken() == 0) {
					await(untilNextLook(), () -> this.woken);
				}
			}
		}
	}

	/**
	 * Relays one batch.
	 * @return its result, or {@code null} if the table could not be used
	 */
	private RelayRound.@Nullable Result round() {
		change(() -> this.redisIsBack = false);
		try {
			RelayRound.Result result = this.rounds.get();
			if (this.broken) {
				this.broken = false;
				logger.info("The table of the outbox can be used again");
			}
			if (result.nextTry() != null) {
				// In whole milliseconds, and not before the database thinks so, too.
				long next = System.nanoTime() + result.nextTry().plusMillis(1).toNanos();
				this.nextTryNanos = (this.nextTryNanos == Long.MAX_VALUE || next - this.nextTryNanos < 0) ? next
						: this.nextTryNanos;
			}
			return result;
		}
		catch (Throwable ex) {
			if (!this.broken) {
				this.broken = true;
				logger.warn("The relay of the outbox failed, and goes on as soon as it can", ex);
			}
			else {
				logger.debug("The relay of the outbox failed again", ex);
			}
			return null;
		}
	}

	private long untilNextLook() {
		long poll = this.pollInterval.toNanos();
		if (this.nextTryNanos == Long.MAX_VALUE) {
			return poll;
		}
		long next = this.nextTryNanos - System.nanoTime();
		if (next <= 0) {
			this.nextTryNanos = Long.MAX_VALUE;
			return TimeUnit.MILLISECONDS.toNanos(1);
		}
		return Math.min(poll, next);
	}

	/**
	 * Waits until the database or Redis may be back; a commit is no sign of that.
	 * @param forRedis whether it is Redis that is away, whose return is noticed
	 */
	private void pause(boolean forRedis) {
		Duration doubled = (this.pause == null) ? this.firstPause : this.pause.multipliedBy(2);
		this.pause = (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
		if (await(this.pause.toNanos(), () -> forRedis && this.redisIsBack)) {
			this.pause = null;
		}
	}

	/**
	 * Waits.
	 * @param ends the condition that ends the wait early
	 * @return whether the condition ended it
	 */
	private boolean await(long nanos, BooleanSupplier ends) {
		this.lock.lock();
		try {
			long left = nanos;
			while (left > 0 && !this.stopped && !ends.getAsBoolean()) {
				left = this.changed.awaitNanos(left);
			}
			this.woken = false;
			return ends.getAsBoolean();
		}
		catch (InterruptedException ex) {
			// This thread is only interrupted to end it.
			this.stopped = true;
			Thread.currentThread().interrupt();
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Has the relay go on if it waits for Redis.
	 */
	void redisIsBack() {
		change(() -> this.redisIsBack = true);
	}

	/**
	 * Has the relay look for messages, now or after its present batch.
	 */
	void wake() {
		change(() -> this.woken = true);
	}

	/**
	 * Ends the relay after its present batch.
	 */
	void stop() {
		change(() -> this.stopped = true);
	}

	/**
	 * Changes what the relay waits for, and has it look.
	 */
	private void change(Runnable change) {
		this.lock.lock();
		try {
			change.run();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

}
