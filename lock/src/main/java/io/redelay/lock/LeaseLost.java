package io.redelay.lock;

/**
 * What to do if a lock was lost before the method ended.
 *
 * @since 0.1.0
 */
public enum LeaseLost {

	/**
	 * Write a warning to the log; the method's result is returned.
	 */
	LOG,

	/**
	 * Throw a {@link LockLostException}, unless the method itself threw.
	 */
	THROW

}
