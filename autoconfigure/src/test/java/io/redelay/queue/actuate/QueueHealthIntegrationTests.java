package io.redelay.queue.actuate;

import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.autoconfigure.GuardAutoConfiguration;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.QueueHealthAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for the health of listeners and of Redis.
 */
class QueueHealthIntegrationTests {

	private static RedisServer sound;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
				QueueAutoConfiguration.class, LockAutoConfiguration.class, GuardAutoConfiguration.class,
				QueueHealthAutoConfiguration.class))
		.withPropertyValues("redelay.health.interval=1s", "spring.data.redis.timeout=5s");

	@BeforeAll
	static void start(@TempDir Path folder) {
		sound = RedisServer.builder().appendOnly(folder).start();
	}

	@AfterAll
	static void stop() {
		sound.close();
	}

	@BeforeEach
	void restore() {
		sound.command("CONFIG", "SET", "maxmemory", "0");
		sound.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
	}

	@Test
	void aServerWithRoomIsUp() {
		sound.command("CONFIG", "SET", "maxmemory", "1gb");
		on(sound).run((context) -> {
			Health health = context.getBean(RedisHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails().toString()).contains("127.0.0.1:" + sound.port(), "memoryBytes=1073741824",
					"evictionPolicy=noeviction");
		});
	}

	@Test
	void memoryIsReportedBeforeItIsFull() {
		on(sound).run((context) -> {
			RedisHealthIndicator indicator = context.getBean(RedisHealthIndicator.class);
			// The first send takes the memory that the script itself needs.
			context.getBean(QueueOperations.class).send(TestRedis.queue(), "a");
			sound.command("CONFIG", "SET", "maxmemory", Long.toString(usedMemory() * 11 / 10));
			await().until(() -> indicator.health().getStatus().equals(RedisHealthIndicator.DEGRADED));
			assertThat(indicator.health().getDetails().toString())
				.contains("of 'maxmemory': it refuses new messages when");
			// It is reported while messages are still taken.
			context.getBean(QueueOperations.class).send(TestRedis.queue(), "a");
			sound.command("CONFIG", "SET", "maxmemory", "1mb");
			await().until(() -> indicator.health().getStatus().equals(Status.DOWN));
			sound.command("CONFIG", "SET", "maxmemory", "0");
			await().until(() -> indicator.health().getStatus().equals(Status.UP));
		});
	}

	@Test
	void evictionIsReportedUnlessTheGuardIsNotToLook() {
		sound.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		on(sound).run((context) -> {
			Health health = context.getBean(RedisHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(RedisHealthIndicator.DEGRADED);
			assertThat(health.getDetails().toString()).contains("'allkeys-lru'", "Set 'maxmemory-policy noeviction'");
		});
		on(sound).withPropertyValues("redelay.guard.eviction-policy=off")
			.run((context) -> assertThat(context.getBean(RedisHealthIndicator.class).health().getStatus())
				.isEqualTo(Status.UP));
	}

	@Test
	void aServerThatMakesRoomByEvictionRefusesNothing() {
		sound.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		sound.command("CONFIG", "SET", "maxmemory", Long.toString(usedMemory()));
		on(sound).withPropertyValues("redelay.guard.eviction-policy=warn").run((context) -> {
			RedisHealthIndicator indicator = context.getBean(RedisHealthIndicator.class);
			sound.command("CONFIG", "SET", "maxmemory", "1mb");
			assertThat(indicator.health().getStatus()).isEqualTo(RedisHealthIndicator.DEGRADED);
			assertThat(indicator.health().getDetails().toString()).doesNotContain("refuses");
		});
	}

	@Test
	void aServerWithoutPersistenceAndOneThatIsGoneAreReported() {
		try (RedisServer bare = RedisServer.start()) {
			on(bare).withPropertyValues("redelay.health.max-silence=1s", "spring.data.redis.timeout=2s")
				.withUserConfiguration(Listening.class)
				.run((context) -> {
					RedisHealthIndicator indicator = context.getBean(RedisHealthIndicator.class);
					assertThat(indicator.health().getStatus()).isEqualTo(RedisHealthIndicator.DEGRADED);
					assertThat(indicator.health().getDetails().toString()).contains("writes nothing to its disk");
					ListenersHealthIndicator listeners = context.getBean(ListenersHealthIndicator.class);
					await().until(() -> listeners.health().getStatus().equals(Status.UP));
					bare.stop();
					await().until(() -> indicator.health().getStatus().equals(Status.DOWN));
					await().until(() -> listeners.health().getStatus().equals(Status.DOWN));
					assertThat(listeners.health().getDetails().toString()).contains("healthy-listener",
							"the present one is not answered");
				});
		}
	}

	@Test
	void manyProbesAskRedisOnceInAnInterval() {
		on(sound).withPropertyValues("redelay.health.interval=1h").run((context) -> {
			context.getBean(RedisHealthIndicator.class).health();
			long before = calls("info");
			for (int i = 0; i < 100; i++) {
				context.getBean(RedisHealthIndicator.class).health();
			}
			// One call is that which reads the number.
			assertThat(calls("info") - before).isLessThanOrEqualTo(1);
		});
	}

	@Test
	void listenersReportWhatTheyDo() {
		on(sound).withUserConfiguration(Listening.class).run((context) -> {
			ListenersHealthIndicator indicator = context.getBean(ListenersHealthIndicator.class);
			await().untilAsserted(() -> assertThat(indicator.health().getDetails().toString())
				.contains("last answered claim", "wakeUps=subscribed", "state=running"));
			assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
			context.getBean(QueueListeners.class).stop("healthy-listener");
			await()
				.untilAsserted(() -> assertThat(indicator.health().getDetails().toString()).contains("state=stopped"));
			assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
		});
		on(sound).run((context) -> assertThat(context.getBean(ListenersHealthIndicator.class).health().getStatus())
			.isEqualTo(Status.UNKNOWN));
	}

	@Test
	void anApplicationWithoutBootsHealthStarts() {
		on(sound).withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("redelayRedisHealthIndicator"));
		on(sound).withPropertyValues("management.health.redelay-redis.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(RedisHealthIndicator.class)
				.hasSingleBean(ListenersHealthIndicator.class));
	}

	private ApplicationContextRunner on(RedisServer server) {
		return this.runner.withPropertyValues("spring.data.redis.url=" + server.uri());
	}

	private static long usedMemory() {
		return number("memory", "used_memory:(\\d+)");
	}

	private static long calls(String command) {
		return number("commandstats", "cmdstat_" + command + ":calls=(\\d+)");
	}

	private static long number(String section, String pattern) {
		Matcher found = Pattern.compile(pattern).matcher(String.valueOf(sound.command("INFO", section)));
		return found.find() ? Long.parseLong(found.group(1)) : 0;
	}

	@Configuration(proxyBeanMethods = false)
	static class Listening {

		@QueueListener(queues = "healthy", id = "healthy-listener")
		void handle(Map<String, Object> message) {
		}

	}

}
