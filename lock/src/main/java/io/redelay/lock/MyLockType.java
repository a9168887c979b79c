package io.redelay.lock;

/**
 * The kinds of locks that are built in.
 *
 * @since 0.1.0
 */
public enum MyLockType {

	/**
	 * One holder at a time, which may enter again. Waiting callers get the lock in no
	 * particular order.
	 */
	RE_ENTRANT_LOCK("lock"),

	/**
	 * One holder at a time, which may enter again. Waiting callers get the lock in the
	 * order of their requests.
	 */
	FAIR_LOCK("lock"),

	/**
	 * Many readers at a time, while there is no writer.
	 */
	READ_LOCK("rwlock"),

	/**
	 * One writer at a time, while there is no reader.
	 */
	WRITE_LOCK("rwlock");

	private final String family;

	MyLockType(String family) {
		this.family = family;
	}

	/**
	 * Returns the part of the key that separates exclusive locks from read-write locks.
	 */
	String family() {
		return this.family;
	}

}
