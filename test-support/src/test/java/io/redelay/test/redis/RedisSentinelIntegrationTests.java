package io.redelay.test.redis;

import java.time.Duration;

import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisSentinel} with real processes.
 */
class RedisSentinelIntegrationTests {

	@Test
	@Tag("full")
	void makesAReplicaTheMasterWhenTheMasterDies() {
		try (RedisSentinel sentinel = RedisSentinel.builder()
			.masterName("orders")
			.downAfter(Duration.ofSeconds(3))
			.start()) {
			assertThat(sentinel.masterName()).isEqualTo("orders");
			assertThat(sentinel.sentinels()).hasSize(3);
			assertThat(sentinel.servers()).hasSize(2);
			RedisServer first = sentinel.master();
			assertThat(first).isSameAs(sentinel.servers().get(0));
			first.command("SET", "name", "value");
			assertThat(first.command("WAIT", "1", "10000")).isEqualTo(1L);
			first.kill();
			await().atMost(Duration.ofMinutes(3)).until(() -> sentinel.master() != first);
			await().atMost(Duration.ofMinutes(1))
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(sentinel.master().command("SET", "other", "value")).isEqualTo("OK"));
			assertThat(sentinel.master().command("GET", "name")).isEqualTo("value");
		}
	}

	@Test
	void startsAsManyAsAsked() {
		try (RedisSentinel sentinel = RedisSentinel.builder()
			.replicas(2)
			.sentinels(1)
			.config("maxmemory 7mb")
			.start()) {
			assertThat(sentinel.sentinels()).hasSize(1);
			assertThat(sentinel.servers()).hasSize(3)
				.allSatisfy((server) -> assertThat(server.command("CONFIG", "GET", "maxmemory")).asString()
					.contains("7340032"));
		}
	}

}
