package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * Gives uids: short names that no instance gives twice, because they begin with 62 random
 * bits of this object. The uids of one object are in the order of their texts, as Redis
 * orders messages due in the same millisecond by text.
 * <p>
 * A uid is 12 digits to the base 36, a {@code -}, and 6 more digits that count. It is in
 * lower case, as some databases do not distinguish ids that differ only in case. Safe for
 * use by many threads.
 *
 * @since 0.1.0
 */
public final class Uids {

	/**
	 * The suffix of the uids of ticks of recurring messages, and of their ids once they
	 * were moved.
	 */
	public static final String TICK_SUFFIX = ".tick";

	private static final SecureRandom RANDOM = new SecureRandom();

	/**
	 * What takes the place of {@link #RANDOM} on a thread, so that a test can repeat what
	 * happens there.
	 */
	private static final ThreadLocal<@Nullable RandomGenerator> SEEDED = new ThreadLocal<>();

	private static final int RANDOM_DIGITS = 12;

	private static final int COUNTING_DIGITS = 6;

	private static final int LENGTH = RANDOM_DIGITS + 1 + COUNTING_DIGITS;

	private static final long COUNTED = power(COUNTING_DIGITS);

	private final long first;

	private final byte[] prefix;

	private final AtomicLong count;

	/**
	 * Creates an object that gives uids.
	 */
	public Uids() {
		this(random(), 0);
	}

	Uids(long first, long count) {
		this.first = first;
		this.prefix = prefix(first);
		this.count = new AtomicLong(count);
	}

	/**
	 * Gives the next uid.
	 * @return the uid
	 */
	public String next() {
		long number = this.count.getAndIncrement();
		long carry = number / COUNTED;
		byte[] uid = Arrays.copyOf((carry == 0) ? this.prefix : prefix(this.first + carry), LENGTH);
		write(number % COUNTED, uid, LENGTH - COUNTING_DIGITS, LENGTH);
		return new String(uid, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Gives a random name.
	 */
	public static String instance() {
		byte[] digits = new byte[RANDOM_DIGITS];
		write(random(), digits, 0, RANDOM_DIGITS);
		return new String(digits, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Takes the random bits of what this thread creates from somewhere else, or again
	 * from chance.
	 */
	static void takeFrom(@Nullable RandomGenerator random) {
		if (random != null) {
			SEEDED.set(random);
		}
		else {
			SEEDED.remove();
		}
	}

	private static byte[] prefix(long value) {
		byte[] prefix = new byte[RANDOM_DIGITS + 1];
		write(value, prefix, 0, RANDOM_DIGITS);
		prefix[RANDOM_DIGITS] = '-';
		return prefix;
	}

	/**
	 * Returns a random number with room above it for the carry of the count.
	 */
	private static long random() {
		RandomGenerator seeded = SEEDED.get();
		return ((seeded != null) ? seeded : RANDOM).nextLong(power(RANDOM_DIGITS) - Long.MAX_VALUE / COUNTED);
	}

	private static void write(long value, byte[] digits, int from, int to) {
		long rest = value;
		for (int i = to - 1; i >= from; i--) {
			digits[i] = (byte) Character.forDigit((int) (rest % Character.MAX_RADIX), Character.MAX_RADIX);
			rest /= Character.MAX_RADIX;
		}
	}

	private static long power(int digits) {
		long power = 1;
		for (int i = 0; i < digits; i++) {
			power *= Character.MAX_RADIX;
		}
		return power;
	}

}
