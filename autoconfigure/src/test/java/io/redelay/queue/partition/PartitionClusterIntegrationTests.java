package io.redelay.queue.partition;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.limits.PartitionName;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import io.redelay.test.redis.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a queue whose partitions are on three masters.
 */
class PartitionClusterIntegrationTests {

	private static final int PARTITIONS = 9;

	private static RedisCluster cluster;

	private static RedissonClient client;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.builder().masters(3).replicasPerMaster(0).start();
		Config config = TestRedis.config();
		config.useClusterServers()
			.addNodeAddress(cluster.nodes().stream().map((node) -> node.uri().toString()).toArray(String[]::new))
			.setMasterConnectionPoolSize(8)
			.setMasterConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(2);
		client = Redisson.create(config);
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		cluster.close();
	}

	@Test
	void partitionsAreOnAllMastersAndAllAreHandled() {
		String queue = queueOnAllMasters();
		Handler handler = new Handler();
		try (ListenerApplication application = ListenerApplication.on(client)
			.with("queue", queue)
			.with("redelay.queue.queues." + queue + ".partitions", PARTITIONS)
			.with("redelay.queue.queues." + queue + ".auto-startup", "false")
			.bean(handler)
			.start()) {
			for (int i = 0; i < 90; i++) {
				application.queues().send(queue, "m" + i);
			}
			application.queues()
				.sendAll(IntStream.range(0, 60)
					.mapToObj((i) -> OutboundMessage.to(queue, "id" + i).id("id-" + i))
					.toList());
			List<Integer> keys = cluster.nodes().stream().map(PartitionClusterIntegrationTests::keys).toList();
			assertThat(keys).as("keys of each master").hasSize(3).allMatch((count) -> count > 0);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			assertThat(admin.queues().info(queue).ready()).isEqualTo(150);
			assertThat(admin.messages().browse(queue, MessageState.READY, 0, 500).messages()).hasSize(150);
			assertThat(admin.messages().find(queue, "id-7")).isPresent();
			assertThat(admin.messages().cancel(queue, "id-7").done()).isTrue();
			application.container().start();
			Waiting.await().until(() -> handler.handled.size() == 149);
			assertThat(handler.handled).doesNotHaveDuplicates().doesNotContain("id7");
			assertThat(admin.queues().names()).containsOnlyOnce(queue);
		}
	}

	private static int keys(RedisServer node) {
		return Integer.parseInt(String.valueOf(node.command("DBSIZE")));
	}

	private static String queueOnAllMasters() {
		return IntStream.range(0, 100)
			.mapToObj((i) -> TestRedis.queue())
			.filter((queue) -> masters(queue).size() == 3)
			.findFirst()
			.orElseThrow();
	}

	private static Set<String> masters(String queue) {
		Set<String> masters = new HashSet<>();
		for (int i = 0; i < PARTITIONS; i++) {
			masters.add(cluster.masterOf("redelay:{" + PartitionName.of(queue, i) + "}:ready").uri().toString());
		}
		return masters;
	}

	static class Handler {

		final Collection<String> handled = new ConcurrentLinkedQueue<>();

		@QueueListener(queues = "${queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

	}

}
