package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.redis.RedisCluster;
import io.redelay.test.redis.RedisReplication;
import io.redelay.test.redis.RedisSentinel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for {@link RedissonAutoConfiguration}: the client works with every
 * kind of Redis, and is in the same place as Spring Boot's own client.
 */
class RedissonTopologiesIntegrationTests {

	private static final Duration FAILOVER = Duration.ofMinutes(3);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class));

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void standalone() {
		try (RedisServer server = RedisServer.start()) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.host=" + server.host(),
						"spring.data.redis.port=" + server.port())
				.run((context) -> assertThatBothClientsMeet(context, "key"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void password() {
		try (RedisServer server = RedisServer.builder().password("s3cret").start()) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.host=" + server.host(),
						"spring.data.redis.port=" + server.port(), "spring.data.redis.password=s3cret")
				.run((context) -> assertThatBothClientsMeet(context, "key"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void userAndPasswordAndDatabase() {
		try (RedisServer server = RedisServer.start()) {
			server.command("ACL", "SETUSER", "app", "on", ">s3cret", "~*", "&*", "+@all");
			this.contextRunner
				.withPropertyValues("spring.data.redis.host=" + server.host(),
						"spring.data.redis.port=" + server.port(), "spring.data.redis.username=app",
						"spring.data.redis.password=s3cret", "spring.data.redis.database=7",
						"spring.data.redis.client-name=me")
				.run((context) -> {
					assertThatBothClientsMeet(context, "key");
					assertThat(connections(server))
						.allMatch((line) -> line.contains(" user=app ") && line.contains(" name=me "))
						.allMatch((line) -> line.contains(" db=7 "));
				});
			assertThat(server.command("EXISTS", "key")).isEqualTo(0L);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void url() {
		try (RedisServer server = RedisServer.start()) {
			server.command("ACL", "SETUSER", "app", "on", ">s3cr%t", "~*", "&*", "+@all");
			this.contextRunner
				.withPropertyValues(
						"spring.data.redis.url=redis://app:s3cr%%25t@127.0.0.1:%d/3".formatted(server.port()))
				.run((context) -> {
					assertThatBothClientsMeet(context, "key");
					assertThat(connections(server))
						.allMatch((line) -> line.contains(" user=app ") && line.contains(" db=3 "));
				});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void userWithoutPassword() {
		try (RedisServer server = RedisServer.start()) {
			server.command("ACL", "SETUSER", "app", "on", "nopass", "~*", "&*", "+@all");
			this.contextRunner
				.withPropertyValues("spring.data.redis.host=" + server.host(),
						"spring.data.redis.port=" + server.port(), "spring.data.redis.username=app")
				.run((context) -> {
					assertThatBothClientsMeet(context, "key");
					assertThat(connections(server)).allMatch((line) -> line.contains(" user=app "));
				});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void masterReplicaInAnyOrderAndAfterAFailover() {
		try (RedisReplication redis = RedisReplication.builder().start()) {
			RedisServer master = redis.master();
			RedisServer replica = redis.replicas().get(0);
			this.contextRunner
				.withPropertyValues("spring.data.redis.masterreplica.nodes=" + nodes(List.of(replica, master)))
				.run((context) -> {
					assertThatBothClientsMeet(context, "key");
					replica.command("REPLICAOF", "NO", "ONE");
					master.kill();
					assertThatWritesReach(context, replica);
				});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void sentinelAndAfterAFailover() {
		try (RedisSentinel redis = RedisSentinel.builder().downAfter(Duration.ofSeconds(3)).start()) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.sentinel.master=" + redis.masterName(),
						"spring.data.redis.sentinel.nodes=" + nodes(redis.sentinels()))
				.run((context) -> {
					assertThatBothClientsMeet(context, "key");
					RedisServer master = redis.master();
					master.kill();
					assertThatWritesReach(context,
							redis.servers().stream().filter((each) -> each != master).findFirst().orElseThrow());
				});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void sentinelAloneAndDatabase() {
		try (RedisSentinel redis = RedisSentinel.builder().sentinels(1).downAfter(Duration.ofMinutes(1)).start()) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.sentinel.master=" + redis.masterName(),
						"spring.data.redis.sentinel.nodes=" + nodes(redis.sentinels()), "spring.data.redis.database=2")
				.run((context) -> {
					assertThatBothClientsMeet(context, "key");
					assertThat(connections(redis.master())).allMatch((line) -> line.contains(" db=2 "));
				});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void sentinelWithCredentialsOnEitherSide() {
		try (RedisSentinel redis = RedisSentinel.builder().sentinels(1).downAfter(Duration.ofMinutes(1)).start()) {
			redis.servers()
				.forEach((server) -> server.command("ACL", "SETUSER", "app", "on", ">s3cret", "~*", "&*", "+@all"));
			RedisServer sentinel = redis.sentinels().get(0);
			sentinel.command("ACL", "SETUSER", "guard", "on", ">gu4rd", "~*", "&*", "+@all");
			sentinel.command("ACL", "SETUSER", "default", "resetpass");
			ApplicationContextRunner runner = this.contextRunner.withPropertyValues(
					"spring.data.redis.sentinel.master=" + redis.masterName(),
					"spring.data.redis.sentinel.nodes=" + nodes(redis.sentinels()),
					"spring.data.redis.sentinel.username=guard", "spring.data.redis.sentinel.password=gu4rd");
			runner.withPropertyValues("spring.data.redis.username=app", "spring.data.redis.password=s3cret")
				.run((context) -> {
					assertThatBothClientsMeet(context, "key");
					assertThat(connections(redis.servers().get(0))).allMatch((line) -> line.contains(" user=app "));
				});
			runner.run((context) -> {
				assertThatBothClientsMeet(context, "key");
				assertThat(connections(redis.servers().get(0))).allMatch((line) -> line.contains(" user=default "));
			});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void clusterAndAfterAFailover() {
		try (RedisCluster redis = RedisCluster.builder().start()) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.cluster.nodes=" + nodes(redis.nodes().subList(0, 2)),
						"spring.data.redis.lettuce.cluster.refresh.period=1s")
				.run((context) -> {
					for (String key : List.of("a", "b", "c", "d", "e", "f")) {
						assertThatBothClientsMeet(context, key);
					}
					RedisServer master = redis.masterOf("key");
					master.kill();
					await().atMost(FAILOVER).until(() -> redis.masterOf("key") != master && redis.isOk());
					assertThatWritesReach(context, redis.masterOf("key"));
				});
		}
	}

	private static String nodes(List<RedisServer> servers) {
		return servers.stream().map((server) -> server.host() + ":" + server.port()).collect(Collectors.joining(","));
	}

	/**
	 * What one writes, the other one reads.
	 */
	private static void assertThatBothClientsMeet(ApplicationContext context, String key) {
		RedissonClient redisson = context.getBean(RedissonClient.class);
		StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
		redisson.getBucket(key, StringCodec.INSTANCE).set("redisson");
		assertThat(template.opsForValue().get(key)).isEqualTo("redisson");
		template.opsForValue().set(key, "spring");
		assertThat(redisson.getBucket(key, StringCodec.INSTANCE).get()).isEqualTo("spring");
	}

	private static void assertThatWritesReach(ApplicationContext context, RedisServer server) {
		await().atMost(FAILOVER).ignoreExceptions().untilAsserted(() -> {
			context.getBean(RedissonClient.class).getBucket("key", StringCodec.INSTANCE).set("later");
			assertThat(server.command("GET", "key")).isEqualTo("later");
		});
	}

	/**
	 * The connections of the application, not those of sentinels and of this test.
	 */
	private static List<String> connections(RedisServer server) {
		List<String> connections = String.valueOf(server.command("CLIENT", "LIST", "TYPE", "normal"))
			.lines()
			.filter((line) -> !line.contains(" name=sentinel-") && !line.contains(" cmd=client|list "))
			.toList();
		assertThat(connections).hasSizeGreaterThanOrEqualTo(2);
		return connections;
	}

}
