package io.redelay.benchmarks.peers.contender;

import io.redelay.embedded.redis.RedisServer;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.codec.TypedJsonJackson3Codec;
import org.redisson.config.Config;

/**
 * Makes clients with the settings of Redelay's own, but for the connections: consumers
 * that block need one each.
 */
final class RedissonClients {

	static final Codec ORDERS = new TypedJsonJackson3Codec(Order.class, String.class, Order.class);

	private RedissonClients() {
	}

	static RedissonClient connect(RedisServer server, Setup setup) {
		Config config = new Config().setThreads(4).setNettyThreads(4);
		config.useSingleServer()
			.setAddress(server.uri().toString())
			.setConnectionPoolSize(32 + setup.queues() * setup.concurrency())
			.setConnectionMinimumIdleSize(1);
		return Redisson.create(config);
	}

}
