package io.redelay.queue.admin;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.limits.RateLimit;

import org.springframework.util.Assert;

/**
 * A change of the limits of a queue, built up like
 * {@code LimitsChange.none().rateLimit("100/1s").maxInFlight(20)}. Each method gives a
 * new change and leaves this one as it is. A limit that is not named stays as it is.
 *
 * @param values the limits that are set, and their values as text: a number, or a rate
 * like {@code 100/1s} or {@code 100/1s bursting}
 * @param cleared the limits that are removed, so that the declarations of listeners or
 * senders hold again
 * @since 0.1.0
 */
public record LimitsChange(Map<QueueLimit, String> values, Set<QueueLimit> cleared) {

	private static final int MOST = 1_000_000;

	private static final LimitsChange NONE = new LimitsChange(Map.of(), Set.of());

	/**
	 * Checks the values.
	 */
	public LimitsChange {
		Map<QueueLimit, String> checked = new EnumMap<>(QueueLimit.class);
		values.forEach((limit, value) -> checked.put(limit, check(limit, value)));
		values = Collections.unmodifiableMap(checked);
		Set<QueueLimit> none = EnumSet.noneOf(QueueLimit.class);
		none.addAll(cleared);
		cleared = Collections.unmodifiableSet(none);
		for (QueueLimit limit : cleared) {
			Assert.isTrue(!checked.containsKey(limit),
					() -> "'" + limit.attribute() + "' must not be set and cleared by the same change");
		}
	}

	private static String check(QueueLimit limit, String value) {
		return switch (limit) {
			case RATE_LIMIT, KEY_RATE_LIMIT -> checkRate(limit, value);
			case MAX_IN_FLIGHT -> checkNumber(limit, value, "call QueueAdmin.control().pause to have nothing claimed");
			case KEY_MAX_IN_FLIGHT ->
				checkNumber(limit, value, "close the gate of a key to have nothing of it claimed, see QueueGates");
			case ORDERING_KEY_MAX_LENGTH ->
				checkNumber(limit, value, "call QueueAdmin.control().close to have nothing sent");
		};
	}

	private static String checkRate(QueueLimit limit, String value) {
		try {
			return RateLimit.parse(value).toString();
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'" + limit.attribute() + "' must be " + RateLimit.FORM + ": " + ex.getMessage(), ex);
		}
	}

	private static String checkNumber(QueueLimit limit, String value, String mend) {
		boolean isNumber = value.strip().matches("\\d{1,7}");
		int number = isNumber ? Integer.parseInt(value.strip()) : 0;
		Assert.isTrue(number >= 1 && number <= MOST, () -> "'" + limit.attribute() + "' must be 1 to " + MOST + ": "
				+ value + ((isNumber && number == 0) ? "; " + mend : ""));
		return Integer.toString(number);
	}

	/**
	 * Changes nothing.
	 * @return the change
	 */
	public static LimitsChange none() {
		return NONE;
	}

	/**
	 * Removes all limits.
	 * @return the change
	 */
	public static LimitsChange clearAll() {
		return new LimitsChange(Map.of(), EnumSet.allOf(QueueLimit.class));
	}

	/**
	 * Limits how many messages of the queue are claimed in any window.
	 * @param rate a rate like {@code 100/1s} or {@code 100/1s bursting}
	 * @return the change
	 */
	public LimitsChange rateLimit(String rate) {
		return set(QueueLimit.RATE_LIMIT, rate);
	}

	/**
	 * Limits how many messages of the queue are claimed in any window, spread evenly over
	 * it.
	 * @param count how many, 1 to 1,000,000
	 * @param window how long the window is, 1 ms to 366 days
	 * @return the change
	 */
	public LimitsChange rateLimit(int count, Duration window) {
		return set(QueueLimit.RATE_LIMIT, new RateLimit(count, window, false).toString());
	}

	/**
	 * Limits how many messages of the queue are in hand at the same time.
	 * @param most how many, 1 to 1,000,000
	 * @return the change
	 */
	public LimitsChange maxInFlight(int most) {
		return set(QueueLimit.MAX_IN_FLIGHT, Integer.toString(most));
	}

	/**
	 * Limits how many messages of each fairness key are claimed in any window.
	 * @param rate a rate like {@code 100/1s} or {@code 100/1s bursting}
	 * @return the change
	 */
	public LimitsChange keyRateLimit(String rate) {
		return set(QueueLimit.KEY_RATE_LIMIT, rate);
	}

	/**
	 * Limits how many messages of each fairness key are claimed in any window, spread
	 * evenly over it.
	 * @param count how many, 1 to 1,000,000
	 * @param window how long the window is, 1 ms to 366 days
	 * @return the change
	 */
	public LimitsChange keyRateLimit(int count, Duration window) {
		return set(QueueLimit.KEY_RATE_LIMIT, new RateLimit(count, window, false).toString());
	}

	/**
	 * Limits how many messages of each fairness key are in hand at the same time.
	 * @param most how many, 1 to 1,000,000
	 * @return the change
	 */
	public LimitsChange keyMaxInFlight(int most) {
		return set(QueueLimit.KEY_MAX_IN_FLIGHT, Integer.toString(most));
	}

	/**
	 * Limits how many messages the line of each ordering key has.
	 * @param most how many, 1 to 1,000,000, including the one with the turn
	 * @return the change
	 */
	public LimitsChange orderingKeyMaxLength(int most) {
		return set(QueueLimit.ORDERING_KEY_MAX_LENGTH, Integer.toString(most));
	}

	/**
	 * Sets a limit.
	 * @param limit the limit
	 * @param value its value as text
	 * @return the change
	 */
	public LimitsChange set(QueueLimit limit, String value) {
		Map<QueueLimit, String> set = new EnumMap<>(QueueLimit.class);
		set.putAll(this.values);
		set.put(limit, value);
		Set<QueueLimit> others = EnumSet.noneOf(QueueLimit.class);
		others.addAll(this.cleared);
		others.remove(limit);
		return new LimitsChange(set, others);
	}

	/**
	 * Removes a limit, so that the declarations of listeners or senders hold again.
	 * @param limit the limit
	 * @return the change
	 */
	public LimitsChange clear(QueueLimit limit) {
		Map<QueueLimit, String> others = new EnumMap<>(QueueLimit.class);
		others.putAll(this.values);
		others.remove(limit);
		Set<QueueLimit> none = EnumSet.of(limit);
		none.addAll(this.cleared);
		return new LimitsChange(others, none);
	}

	/**
	 * Returns whether nothing is changed.
	 * @return {@code true} if so
	 */
	public boolean isEmpty() {
		return this.values.isEmpty() && this.cleared.isEmpty();
	}

}
