package io.redelay.guard;

import java.util.Collection;
import java.util.List;

import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.config.Config;

/**
 * Finds the masters that a client is connected to.
 */
final class RedisMasters {

	private RedisMasters() {
	}

	/**
	 * Returns the masters that are known.
	 */
	static Collection<? extends RedisNode> of(RedissonClient redisson) {
		Config config = redisson.getConfig();
		if (config.isClusterConfig()) {
			return redisson.getRedisNodes(RedisNodes.CLUSTER).getMasters();
		}
		if (config.isSingleConfig()) {
			return List.of(redisson.getRedisNodes(RedisNodes.SINGLE).getInstance());
		}
		RedisNode master = config.isSentinelConfig()
				? redisson.getRedisNodes(RedisNodes.SENTINEL_MASTER_SLAVE).getMaster()
				: redisson.getRedisNodes(RedisNodes.MASTER_SLAVE).getMaster();
		return (master != null) ? List.of(master) : List.of();
	}

}
