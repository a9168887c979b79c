package io.redelay.lock;

/**
 * Changes the name of a lock before it becomes a key, for example to add the tenant.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockKeyBuilder {

	/**
	 * Returns the key of a name. The prefix and the kind of lock are put before it.
	 * @param name the name
	 * @return the key
	 */
	String build(String name);

}
