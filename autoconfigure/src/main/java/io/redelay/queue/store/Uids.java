package io.redelay.queue.store;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives uids: short names that are never given twice, by whomever, because they begin
 * with 64 random bits of this object. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Uids {

	private static final SecureRandom RANDOM = new SecureRandom();

	private final String prefix = instance() + "-";

	private final AtomicLong count = new AtomicLong();

	/**
	 * Gives the next uid.
	 * @return the uid
	 */
	public String next() {
		return this.prefix + Long.toString(this.count.getAndIncrement(), Character.MAX_RADIX);
	}

	static String instance() {
		return Long.toUnsignedString(RANDOM.nextLong(), Character.MAX_RADIX);
	}

}
