package io.redelay.benchmarks;

import java.net.URI;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Connects as Redelay's own client does.
 *
 * @since 0.1.0
 */
public final class RedissonConnection {

	private RedissonConnection() {
	}

	/**
	 * Connects.
	 * @param redis where Redis is
	 * @return the client, which is the caller's to shut down
	 */
	public static RedissonClient open(URI redis) {
		Config config = new Config().setThreads(4).setNettyThreads(4);
		config.useSingleServer().setAddress(redis.toString()).setConnectionPoolSize(32).setConnectionMinimumIdleSize(1);
		return Redisson.create(config);
	}

}
