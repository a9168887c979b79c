package io.redelay.console;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.LockEndpointAutoConfiguration;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.QueueEndpointAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.queue.wire.WireGate;

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

}
