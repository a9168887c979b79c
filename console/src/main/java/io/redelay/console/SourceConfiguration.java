package io.redelay.console;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.LockEndpointAutoConfiguration;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.QueueEndpointAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.queue.wire.WireGate;
import io.redelay.redisson.RedissonConfigCustomizer;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The beans of a source: those of an application that has queues, without its web server.
 * The gate lets nothing pass that changes something in Redis.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
		RedissonAutoConfiguration.class, LockAutoConfiguration.class, QueueAutoConfiguration.class,
		QueueEndpointAutoConfiguration.class, LockEndpointAutoConfiguration.class })
class SourceConfiguration {

	@Bean
	WireGate readingWireGate() {
		return WireGate.reading();
	}

	/**
	 * Has the client report at once that Redis is away: the source tries again, and so do
	 * the page and the scripts.
	 */
	@Bean
	RedissonConfigCustomizer impatientRedisson() {
		return (config) -> servers(config).setRetryAttempts(0);
	}

	private static BaseConfig<?> servers(Config config) {
		if (config.isClusterConfig()) {
			return config.useClusterServers();
		}
		if (config.isSentinelConfig()) {
			return config.useSentinelServers();
		}
		return config.isSingleConfig() ? config.useSingleServer() : config.useReplicatedServers();
	}

}
