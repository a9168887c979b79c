package io.redelay.autoconfigure;

import java.util.List;

import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.redisson.RedissonConfigCustomizer;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;

/**
 * Creates a {@link RedissonClient} that connects to the Redis of Spring Boot's connection
 * details.
 *
 * @since 0.1.0
 * @param details where Redis is, and how to log in
 * @param properties timeouts and other settings that the details do not carry
 * @param settings the threads and connections of the client
 * @param customizers change the configuration last, in their order
 */
record RedissonClientFactory(DataRedisConnectionDetails details, DataRedisProperties properties,
		RedelayRedissonProperties settings, List<RedissonConfigCustomizer> customizers) {

	RedissonClientFactory {
		customizers = List.copyOf(customizers);
	}

	/**
	 * Creates a client, connected unless the settings say that it connects lazily.
	 * @return the client, to be shut down by the caller
	 * @throws RedisUnavailableException if Redis can't be reached or refuses the client
	 */
	public RedissonClient create() {
		RedisLocation location = RedisLocation.of(this.details, this.properties.getUrl());
		Config config = new RedissonConfigFactory(this.details, this.properties, this.settings).create(location);
		this.customizers.forEach((customizer) -> customizer.customize(config));
		ClosedConnectionHook.install(config);
		try {
			return Redisson.create(config);
		}
		catch (RedisException ex) {
			throw new RedisUnavailableException(location, ex);
		}
	}

}
