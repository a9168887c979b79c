package io.redelay.benchmarks.peers.contender;

import io.redelay.embedded.redis.RedisServer;

/**
 * A contender that runs in this process.
 */
record JavaContender(String name, int slowness, Factory factory) implements Contender {

	JavaContender(String name, Factory factory) {
		this(name, 1, factory);
	}

	@Override
	public Session open(RedisServer server, Setup setup) {
		return new ClientSession((handler) -> this.factory.create(server, setup, handler));
	}

	/**
	 * Connects a client, and gives its handlers what is to be called.
	 */
	@FunctionalInterface
	interface Factory {

		Client create(RedisServer server, Setup setup, OrderHandler handler);

	}

}
