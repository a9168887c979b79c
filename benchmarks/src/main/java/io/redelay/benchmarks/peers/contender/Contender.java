package io.redelay.benchmarks.peers.contender;

import io.redelay.embedded.redis.RedisServer;

/**
 * A queue that is compared with others.
 *
 * @since 0.1.0
 */
public interface Contender {

	/**
	 * Returns the name in reports and on the command line.
	 * @return the name
	 */
	String name();

	/**
	 * Returns how many times fewer messages it is given than the fastest, so that it ends
	 * in a reasonable time.
	 * @return 1 or more
	 */
	default int slowness() {
		return 1;
	}

	/**
	 * Returns whether its messages are in Redis.
	 * @return whether they are
	 */
	default boolean usesRedis() {
		return true;
	}

	/**
	 * Starts it, without handlers.
	 * @param server an empty Redis
	 * @param setup what it is prepared for
	 * @return a session
	 */
	Session open(RedisServer server, Setup setup);

}
