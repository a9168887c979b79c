package io.redelay.console;

import java.util.List;
import java.util.stream.Collectors;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.redis.RedisCluster;
import io.redelay.test.redis.RedisReplication;
import io.redelay.test.redis.RedisSentinel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Sources that are a cluster, have sentinels, or are a replica that takes no writes.
 */
@Tag("full")
class SourceTopologiesIntegrationTests {

	@Test
	void aSourceIsWhateverAnApplicationUses() throws Exception {
		try (RedisCluster cluster = RedisCluster.builder().start();
				RedisSentinel sentinel = RedisSentinel.builder().start();
				RedisReplication replication = RedisReplication.builder().replicas(1).start()) {
			String nodes = "cluster.nodes=" + addresses(cluster.nodes());
			String master = "sentinel.master=" + sentinel.masterName();
			String sentinels = "sentinel.nodes=" + addresses(sentinel.sentinels());
			StoppedApplication.leaveIn("--spring.data.redis." + nodes);
			StoppedApplication.leaveIn("--spring.data.redis." + master, "--spring.data.redis." + sentinels);
			StoppedApplication.leaveIn(replication.master());
			try (Console console = Console.start("shop." + nodes, "billing." + master, "billing." + sentinels,
					"copy.url=" + replication.replicas().get(0).uri())) {
				for (String source : new String[] { "shop", "billing", "copy" }) {
					await().untilAsserted(
							() -> assertThat(console.get(source + "/queues/payments").body()).contains("\"dead\":1"));
					assertThat(console.get(source + "/queues/-/messages?q=payment-7").body()).contains("payment-7");
					JsonNode redis = console.json(source + "/queues/-/status").path("redis");
					assertThat(redis.path("answers").asBoolean()).isTrue();
					assertThat(redis.path("role").asString()).isEqualTo(source.equals("copy") ? "slave" : "master");
				}
			}
		}
	}

	private static String addresses(List<RedisServer> servers) {
		return servers.stream().map((server) -> server.host() + ":" + server.port()).collect(Collectors.joining(","));
	}

}
