package io.redelay.test.redis;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisErrorException;
import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisCluster} with real processes.
 */
class RedisClusterIntegrationTests {

	/**
	 * How long a node of a busy machine may say nothing.
	 */
	private static final Duration PATIENT = Duration.ofSeconds(15);

	@Test
	void spreadsTheSlotsOverTheMasters() {
		try (RedisCluster cluster = RedisCluster.builder()
			.masters(3)
			.replicasPerMaster(0)
			.nodeTimeout(PATIENT)
			.start()) {
			assertThat(cluster.isOk()).isTrue();
			Set<RedisServer> masters = IntStream.range(0, 100).mapToObj((i) -> "key" + i).map((key) -> {
				RedisServer master = cluster.masterOf(key);
				assertThat(master.command("SET", key, "value")).isEqualTo("OK");
				return master;
			}).collect(Collectors.toSet());
			assertThat(masters).containsExactlyInAnyOrderElementsOf(cluster.nodes());
		}
	}

	@Test
	void sendsClientsToTheMasterOfASlot() {
		try (RedisCluster cluster = RedisCluster.builder()
			.masters(2)
			.replicasPerMaster(0)
			.nodeTimeout(PATIENT)
			.start()) {
			RedisServer master = cluster.masterOf("{orders}:ready");
			assertThat(cluster.masterOf("{orders}:scheduled")).isSameAs(master);
			RedisServer other = cluster.nodes().stream().filter((node) -> node != master).findFirst().orElseThrow();
			assertThatExceptionOfType(RedisErrorException.class)
				.isThrownBy(() -> other.command("GET", "{orders}:ready"))
				.withMessageContaining("MOVED")
				.withMessageContaining(String.valueOf(master.port()));
		}
	}

	@Test
	@Tag("full")
	void makesAReplicaTheMasterWhenTheMasterDies() {
		try (RedisCluster cluster = RedisCluster.builder().start()) {
			assertThat(cluster.nodes()).hasSize(6);
			RedisServer first = cluster.masterOf("{orders}");
			first.command("SET", "{orders}", "value");
			assertThat(first.command("WAIT", "1", "10000")).isEqualTo(1L);
			first.kill();
			await().atMost(Duration.ofSeconds(60)).until(() -> cluster.masterOf("{orders}") != first);
			await().atMost(Duration.ofSeconds(60)).until(cluster::isOk);
			await().atMost(Duration.ofSeconds(60))
				.ignoreExceptions()
				.untilAsserted(
						() -> assertThat(cluster.masterOf("{orders}").command("GET", "{orders}")).isEqualTo("value"));
			first.restart();
			await().atMost(Duration.ofSeconds(60))
				.untilAsserted(() -> assertThat(first.command("ROLE")).asString().contains("slave"));
		}
	}

	@Test
	void sharesTheSlotsEvenly() {
		try (RedisCluster cluster = RedisCluster.builder()
			.masters(3)
			.replicasPerMaster(1)
			.nodeTimeout(PATIENT)
			.start()) {
			assertThat(cluster.nodes().subList(0, 3))
				.allSatisfy((node) -> assertThat(node.command("ROLE")).asString().contains("master"));
			assertThat(cluster.nodes().subList(3, 6))
				.allSatisfy((node) -> assertThat(node.command("ROLE")).asString().contains("connected"));
			assertThat(cluster.nodes()).allSatisfy((node) -> assertThat(node.command("CLUSTER", "INFO")).asString()
				.contains("cluster_state:ok")
				.contains("cluster_size:3"));
		}
	}

}
