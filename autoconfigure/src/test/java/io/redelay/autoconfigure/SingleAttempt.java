package io.redelay.autoconfigure;

import io.redelay.redisson.RedissonConfigCustomizer;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * Lets a client give up after the first attempt to connect, which by default is the first
 * of five.
 */
public class SingleAttempt implements RedissonConfigCustomizer {

	@Override
	public void customize(Config config) {
		for (String field : new String[] { "singleServerConfig", "sentinelServersConfig", "clusterServersConfig",
				"replicatedServersConfig" }) {
			BaseConfig<?> servers = (BaseConfig<?>) ReflectionTestUtils.getField(config, field);
			if (servers != null) {
				servers.setRetryAttempts(0);
			}
		}
	}

}
