package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for what the client of {@link RedissonAutoConfiguration} takes and
 * gives back: threads, connections and subscriptions.
 */
class RedissonResourcesIntegrationTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Set<Thread> threadsBefore = Set.copyOf(Thread.getAllStackTraces().keySet());

	private RedisServer server;

	private ApplicationContextRunner contextRunner;

	@BeforeEach
	void startServer() {
		this.server = RedisServer.start();
		this.contextRunner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=" + this.server.host(),
					"spring.data.redis.port=" + this.server.port());
	}

	@AfterEach
	void stopServer() {
		this.server.close();
	}

	@Test
	void threadsAreFew() {
		this.contextRunner.run((context) -> {
			RedissonClient client = context.getBean(RedissonClient.class);
			assertThat(newThreads()).isNotEmpty().hasSizeLessThanOrEqualTo(9);
			use(client);
			assertThat(newThreads()).hasSizeLessThanOrEqualTo(9);
		});
		awaitNoNewThreads();
	}

	@Test
	void threadsAreAsManyAsConfigured() {
		this.contextRunner.withPropertyValues("redelay.redisson.threads=2", "redelay.redisson.netty-threads=1")
			.run((context) -> {
				use(context.getBean(RedissonClient.class));
				assertThat(
						newThreads().stream()
							.collect(Collectors.groupingBy((name) -> name.replaceFirst("(-\\d+)+$", ""),
									Collectors.counting())))
					.isEqualTo(Map.of("redisson", 2L, "redisson-netty", 1L, "redisson-timer", 1L));
			});
	}

	@Test
	void clientThatCouldNotStartLeavesNoThread() {
		this.server.stop();
		this.contextRunner.withBean(SingleAttempt.class).run((context) -> assertThat(context).hasFailed());
		awaitNoNewThreads();
	}

	/**
	 * A thread is there for a moment after it has said that it ends.
	 */
	private void awaitNoNewThreads() {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(newThreads()).isEmpty());
	}

	@Test
	void idleClientHasTwoConnections() {
		// One for requests, one for subscriptions, and the one that asks.
		this.contextRunner.run((context) -> await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(connections("normal") + connections("pubsub")).isEqualTo(3)));
	}

	@Test
	void connectionsAreBounded() {
		this.contextRunner.withPropertyValues("redelay.redisson.connection-pool-size=3").run((context) -> {
			RedissonClient client = context.getBean(RedissonClient.class);
			List<CompletableFuture<?>> requests = new ArrayList<>();
			for (int i = 0; i < 500; i++) {
				requests.add(client.getBucket("key" + i, StringCodec.INSTANCE).setAsync("value").toCompletableFuture());
			}
			CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new)).join();
			// The pool, a connection for subscriptions, and the one that asks.
			assertThat(connections("normal") + connections("pubsub")).isLessThanOrEqualTo(5);
		});
	}

	@Test
	void thousandChannelsFit() {
		this.contextRunner.run((context) -> {
			RedissonClient client = context.getBean(RedissonClient.class);
			CompletableFuture.allOf(IntStream.range(0, 1000)
				.mapToObj((i) -> topic(client, "channel" + i).addListenerAsync(String.class, (channel, message) -> {
				}))
				.map((subscription) -> subscription.toCompletableFuture())
				.toArray(CompletableFuture[]::new)).join();
			assertThat((List<?>) this.server.command("PUBSUB", "CHANNELS", "channel*")).hasSize(1000);
		});
	}

	@Test
	void subscriptionsComeBackAfterRedisWasDown() {
		List<String> received = new CopyOnWriteArrayList<>();
		this.contextRunner.run((context) -> {
			topic(context.getBean(RedissonClient.class), "news").addListener(String.class,
					(channel, message) -> received.add(message));
			this.server.kill();
			this.server.restart();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.server.command("PUBLISH", "news", "hello")).isEqualTo(1L));
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(received).containsExactly("hello"));
		});
	}

	@Test
	void subscriptionsComeBackAfterTheyWereCut() {
		this.contextRunner.run((context) -> {
			topic(context.getBean(RedissonClient.class), "news").addListener(String.class, (channel, message) -> {
			});
			assertThat(this.server.command("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.server.command("PUBLISH", "news", "hello")).isEqualTo(1L));
		});
	}

	private void use(RedissonClient client) {
		List<String> received = new CopyOnWriteArrayList<>();
		List<CompletableFuture<?>> requests = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			topic(client, "channel" + i).addListener(String.class, (channel, message) -> received.add(message));
		}
		for (int i = 0; i < 500; i++) {
			requests.add(topic(client, "channel" + i % 20).publishAsync("message").toCompletableFuture());
		}
		CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new)).join();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(received).hasSize(500));
	}

	private static RTopic topic(RedissonClient client, String name) {
		return client.getTopic(name, StringCodec.INSTANCE);
	}

	private List<String> newThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.threadsBefore.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.startsWith("redisson"))
			.toList();
	}

	private long connections(String type) {
		return String.valueOf(this.server.command("CLIENT", "LIST", "TYPE", type)).lines().count();
	}

}
