package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Which locks to take, and how.
 *
 * @param names the names, all or none
 * @param label what stands for locks of this kind in metrics, where names would be too
 * many
 * @param type the kind of lock
 * @param provider the name of a {@link LockProvider} to use instead of the kind
 * @param strategy what to do while another holds a lock
 * @param waitTime how long to wait if the strategy says so
 * @param leaseTime how long to hold a lock at most, or {@code null} for as long as needed
 * @param leaseLost what to do if a lock was lost
 * @param minHold how long to hold a lock at least, though what it protects ends before
 * @since 0.1.0
 */
public record LockSpec(List<String> names, String label, MyLockType type, @Nullable String provider,
		MyLockStrategy strategy, Duration waitTime, @Nullable Duration leaseTime, LeaseLost leaseLost,
		Duration minHold) {

	/**
	 * Longer leases may overflow in Redis, which grants such a lock and does not keep it.
	 */
	public static final Duration MAX_LEASE = Duration.ofDays(36500);

	private static final Duration MIN_LEASE = Duration.ofMillis(1);

	/**
	 * Shorter stalls of a network or a collector are no failure.
	 */
	private static final Duration MIN_ANSWER_TIME = Duration.ofSeconds(1);

	/**
	 * Checks the values.
	 */
	public LockSpec {
		names = List.copyOf(names);
		Assert.notEmpty(names, "'names' must not be empty");
		names.forEach((name) -> Assert.hasText(name, "'names' must not contain a blank name"));
		Assert.isTrue(!waitTime.isNegative(), () -> "'waitTime' must not be negative: " + waitTime);
		Assert.isTrue(leaseTime == null || isLease(leaseTime),
				() -> "'leaseTime' must be at least 1 ms and at most 100 years: " + leaseTime);
		Assert.isTrue(!minHold.isNegative() && minHold.compareTo((leaseTime != null) ? leaseTime : MAX_LEASE) <= 0,
				() -> "'minHold' must be neither negative nor longer than 'leaseTime': " + minHold);
		Assert.isTrue(minHold.isZero() || provider != null || type != MyLockType.READ_LOCK,
				"'minHold' must be zero for a read lock, which does not keep other readers out");
	}

	public static boolean isLease(Duration time) {
		return time.compareTo(MIN_LEASE) >= 0 && time.compareTo(MAX_LEASE) <= 0;
	}

	/**
	 * A re-entrant lock, waited for a second.
	 * @param names its name, or several to be taken all or none
	 * @return what to lock
	 */
	public static LockSpec of(String... names) {
		return new LockSpec(List.of(names), "by hand", MyLockType.RE_ENTRANT_LOCK, null,
				MyLockStrategy.FAIL_AFTER_RETRY_TIMEOUT, Duration.ofSeconds(1), null, LeaseLost.LOG, Duration.ZERO);
	}

	/**
	 * The same under another label.
	 * @param label what stands for locks of this kind in metrics
	 * @return what to lock
	 */
	public LockSpec withLabel(String label) {
		return new LockSpec(this.names, label, this.type, this.provider, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * The same with another kind of lock.
	 * @param type the kind
	 * @return what to lock
	 */
	public LockSpec withType(MyLockType type) {
		return new LockSpec(this.names, this.label, type, null, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * The same with locks of a provider.
	 * @param provider the name of its bean
	 * @return what to lock
	 */
	public LockSpec withProvider(String provider) {
		return new LockSpec(this.names, this.label, this.type, provider, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * The same with another strategy.
	 * @param strategy the strategy
	 * @return what to lock
	 */
	public LockSpec withStrategy(MyLockStrategy strategy) {
		return new LockSpec(this.names, this.label, this.type, this.provider, strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * The same with another wait time.
	 * @param waitTime how long to wait
	 * @return what to lock
	 */
	public LockSpec withWaitTime(Duration waitTime) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * The same with another lease time.
	 * @param leaseTime how long to hold a lock at most, or {@code null} for as long as
	 * needed
	 * @return what to lock
	 */
	public LockSpec withLeaseTime(@Nullable Duration leaseTime) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, this.waitTime, leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * The same with another answer to a lost lock.
	 * @param leaseLost what to do
	 * @return what to lock
	 */
	public LockSpec withLeaseLost(LeaseLost leaseLost) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, this.waitTime,
				this.leaseTime, leaseLost, this.minHold);
	}

	/**
	 * The same with another time for which a lock is held at least.
	 * @param minHold how long to hold a lock at least, counted from when it was had
	 * @return what to lock
	 */
	public LockSpec withMinHold(Duration minHold) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, this.waitTime,
				this.leaseTime, this.leaseLost, minHold);
	}

	/**
	 * How long to wait, or {@code null} for as long as it takes.
	 */
	@Nullable Duration patience() {
		if (this.strategy == MyLockStrategy.KEEP_TRYING) {
			return null;
		}
		return this.strategy.isWaiting() ? this.waitTime : Duration.ZERO;
	}

	/**
	 * How long the answer may take whether the locks were had, or {@code null} if without
	 * limit: the wait time, though a strategy does not wait for the locks themselves, and
	 * if it does, a moment for the answer.
	 */
	@Nullable Duration answerTime() {
		if (this.strategy == MyLockStrategy.KEEP_TRYING) {
			return null;
		}
		Duration wait = (this.waitTime.compareTo(MAX_LEASE) < 0) ? this.waitTime : MAX_LEASE;
		if (this.strategy.isWaiting()) {
			return wait.plus(MIN_ANSWER_TIME);
		}
		return (wait.compareTo(MIN_ANSWER_TIME) > 0) ? wait : MIN_ANSWER_TIME;
	}

	/**
	 * The part of the key that keeps kinds of locks apart.
	 */
	public String family() {
		return (this.provider != null) ? LockKey.family(this.provider) : this.type.family();
	}

}
