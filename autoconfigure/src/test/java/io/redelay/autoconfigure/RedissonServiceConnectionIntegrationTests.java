package io.redelay.autoconfigure;

import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Integration tests for {@link RedissonAutoConfiguration} with a container whose location
 * comes from {@link ServiceConnection @ServiceConnection}.
 */
@SpringJUnitConfig
@Testcontainers(disabledWithoutDocker = true)
class RedissonServiceConnectionIntegrationTests {

	@Container
	@ServiceConnection
	static final GenericContainer<?> REDIS = new GenericContainer<>("redis:7.2-alpine").withExposedPorts(6379);

	@Test
	void clientIsConnectedToTheContainer(@Autowired RedissonClient client, @Autowired StringRedisTemplate template) {
		client.getBucket("key", StringCodec.INSTANCE).set("value");
		assertThat(template.opsForValue().get("key")).isEqualTo("value");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class })
	static class Application {

	}

}
