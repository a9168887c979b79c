package io.redelay.benchmarks.peers.contender;

import java.util.function.Supplier;

import io.redelay.embedded.redis.RedisServer;

/**
 * A contender that runs in this process, with a database instead of Redis.
 */
record SqlContender(String name, int slowness, Supplier<Database> databases, Factory factory) implements Contender {

	@Override
	public boolean usesRedis() {
		return false;
	}

	@Override
	public Session open(RedisServer server, Setup setup) {
		return new ClientSession((handler) -> this.factory.create(this.databases.get(), setup, handler));
	}

	/**
	 * Connects a client, and gives its handlers what is to be called.
	 */
	@FunctionalInterface
	interface Factory {

		Client create(Database database, Setup setup, OrderHandler handler);

	}

}
