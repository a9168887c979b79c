package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedelayRedissonProperties}.
 */
class RedelayRedissonPropertiesTests {

	@Test
	void defaultsAreSmall() {
		assertThat(bind(Map.of()))
			.isEqualTo(new RedelayRedissonProperties(4, 4, 32, 1, false, true, Duration.ofSeconds(1)));
	}

	@Test
	void everySettingIsBound() {
		RedelayRedissonProperties properties = bind(Map.of("redelay.redisson.check-synced-replicas", "false",
				"redelay.redisson.replica-sync-timeout", "700ms", "redelay.redisson.threads", "5",
				"redelay.redisson.netty-threads", "6", "redelay.redisson.connection-pool-size", "7",
				"redelay.redisson.connection-minimum-idle-size", "3", "redelay.redisson.lazy-initialization", "true"));
		assertThat(properties)
			.isEqualTo(new RedelayRedissonProperties(5, 6, 7, 3, true, false, Duration.ofMillis(700)));
	}

	@ParameterizedTest
	@CsvSource({ "threads, threads", "netty-threads, nettyThreads", "connection-pool-size, connectionPoolSize",
			"connection-minimum-idle-size, connectionMinimumIdleSize" })
	void numbersMustBePositive(String name, String argument) {
		for (String value : new String[] { "0", "-1" }) {
			assertThatExceptionOfType(BindException.class)
				.isThrownBy(() -> bind(Map.of("redelay.redisson." + name, value)))
				.havingRootCause()
				.isInstanceOf(IllegalArgumentException.class)
				.withMessage("'%s' must be positive, but is %s", argument, value);
		}
	}

	@Test
	void idleConnectionsMustFitIntoThePool() {
		assertThatExceptionOfType(BindException.class)
			.isThrownBy(() -> bind(Map.of("redelay.redisson.connection-pool-size", "2",
					"redelay.redisson.connection-minimum-idle-size", "3")))
			.havingRootCause()
			.withMessage("'connectionMinimumIdleSize' must not exceed 'connectionPoolSize', but 3 is more than 2");
	}

	private RedelayRedissonProperties bind(Map<String, String> values) {
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("redelay.redisson",
				RedelayRedissonProperties.class);
	}

}
