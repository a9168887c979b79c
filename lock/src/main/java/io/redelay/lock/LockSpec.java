package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The specification of the locks of a call: which locks, and how they are taken and held.
 *
 * @param names the names; all of them are taken, or none
 * @param label the name that locks of one kind share in metrics, where single names would
 * be too many
 * @param type the lock type
 * @param provider the name of the {@link LockProvider} bean to use instead of the type
 * @param strategy what to do while another holds a lock
 * @param waitTime how long to wait if the strategy waits
 * @param leaseTime how long to hold a lock at most, or {@code null} to renew it until it
 * is released
 * @param leaseLost what to do if a lock was lost
 * @param minHold how long to hold a lock at least, also if the protected code ends
 * earlier
 * @since 0.1.0
 */
public record LockSpec(List<String> names, String label, MyLockType type, @Nullable String provider,
		MyLockStrategy strategy, Duration waitTime, @Nullable Duration leaseTime, LeaseLost leaseLost,
		Duration minHold) {

	/**
	 * Redis grants a longer lease whose end overflows, and does not keep the lock.
	 */
	public static final Duration MAX_LEASE = Duration.ofDays(36500);

	private static final Duration MIN_LEASE = Duration.ofMillis(1);

	/**
	 * A shorter stall of the network or of garbage collection is not reported as a
	 * failure.
	 */
	private static final Duration MIN_ANSWER_TIME = Duration.ofSeconds(1);

	/**
	 * Validates the values.
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
	 * Specifies a re-entrant lock with a wait time of one second.
	 * @param names its name; of several, all are taken or none
	 * @return the specification
	 */
	public static LockSpec of(String... names) {
		return new LockSpec(List.of(names), "by hand", MyLockType.RE_ENTRANT_LOCK, null,
				MyLockStrategy.FAIL_AFTER_RETRY_TIMEOUT, Duration.ofSeconds(1), null, LeaseLost.LOG, Duration.ZERO);
	}

	/**
	 * Returns a copy with other names.
	 * @param names the names; all of them are taken, or none
	 * @return the specification
	 */
	public LockSpec withNames(List<String> names) {
		return new LockSpec(names, this.label, this.type, this.provider, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another label.
	 * @param label the name that locks of one kind share in metrics
	 * @return the specification
	 */
	public LockSpec withLabel(String label) {
		return new LockSpec(this.names, label, this.type, this.provider, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another lock type.
	 * @param type the type
	 * @return the specification
	 */
	public LockSpec withType(MyLockType type) {
		return new LockSpec(this.names, this.label, type, null, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another provider.
	 * @param provider the name of its bean
	 * @return the specification
	 */
	public LockSpec withProvider(String provider) {
		return new LockSpec(this.names, this.label, this.type, provider, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another strategy.
	 * @param strategy the strategy
	 * @return the specification
	 */
	public LockSpec withStrategy(MyLockStrategy strategy) {
		return new LockSpec(this.names, this.label, this.type, this.provider, strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another wait time.
	 * @param waitTime how long to wait
	 * @return the specification
	 */
	public LockSpec withWaitTime(Duration waitTime) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another lease time.
	 * @param leaseTime how long to hold a lock at most, or {@code null} to renew it until
	 * it is released
	 * @return the specification
	 */
	public LockSpec withLeaseTime(@Nullable Duration leaseTime) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, this.waitTime, leaseTime,
				this.leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another reaction to a lost lock.
	 * @param leaseLost what to do
	 * @return the specification
	 */
	public LockSpec withLeaseLost(LeaseLost leaseLost) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, this.waitTime,
				this.leaseTime, leaseLost, this.minHold);
	}

	/**
	 * Returns a copy with another minimal time to hold a lock.
	 * @param minHold how long to hold a lock at least, counted from the acquisition
	 * @return the specification
	 */
	public LockSpec withMinHold(Duration minHold) {
		return new LockSpec(this.names, this.label, this.type, this.provider, this.strategy, this.waitTime,
				this.leaseTime, this.leaseLost, minHold);
	}

	/**
	 * How long to wait for the locks, or {@code null} without a limit.
	 */
	@Nullable Duration waitLimit() {
		if (this.strategy == MyLockStrategy.KEEP_TRYING) {
			return null;
		}
		return this.strategy.isWaiting() ? this.waitTime : Duration.ZERO;
	}

	/**
	 * How long the answer of the provider may take, or {@code null} without a limit: the
	 * wait time, also if the strategy does not wait for the locks; and one second more if
	 * it does.
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
	 * Returns the part of the key that separates kinds of locks.
	 */
	public String family() {
		return (this.provider != null) ? LockKey.family(this.provider) : this.type.family();
	}

}
