package io.redelay.lock;

/**
 * Changes the names of locks before they become keys, for example to tell tenants apart.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockKeyBuilder {

	/**
	 * Makes a key of a name. The prefix and the kind of lock are put before it.
	 * @param name the name
	 * @return the key
	 */
	String build(String name);

}
