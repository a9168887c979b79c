package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.script.QueueScripts;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Integration tests for applications that only send or only listen: what they start, and
 * what they ask of Redis.
 */
class ShapesOfUseIntegrationTests {

	/**
	 * Long enough for a loop to look for messages and for a heartbeat to begin.
	 */
	private static final Duration IDLE = Duration.ofMillis(800);

	private static final Pattern COMMAND = Pattern.compile("cmdstat_([^:]+):");

	/**
	 * What the client does to keep its connections, and what this test does.
	 */
	private static final List<String> EXPECTED = List.of("ping", "config|resetstat", "info", "client|list", "keys");

	private final Set<Thread> threadsBefore = Set.copyOf(Thread.getAllStackTraces().keySet());

	private final String queue = TestRedis.queue();

	private final RedisServer server = RedisServer.start();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
				QueueAutoConfiguration.class, LockAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.url=" + this.server.uri(), "test.queue=" + this.queue,
				"redelay.queue.safety-poll-interval=100ms");

	/**
	 * Else it asks some time after a send whether what was sent is there, and whether
	 * anybody listens, and writes what it has counted.
	 */
	private static final String[] QUIET = { "redelay.queue.replay.duration=0s",
			"redelay.queue.send.report-unconsumed-after=0s", "redelay.queue.stats.enabled=false" };

	@AfterEach
	void endServer() {
		this.server.close();
	}

	@Test
	void anApplicationWithoutListenersStartsNothing() {
		this.runner.withPropertyValues(QUIET).run((context) -> {
			assertNothingRunsBut();
			context.getBean(QueueOperations.class).send(this.queue, "first");
			assertNothingRunsBut("redelay-timer-1");
		});
	}

	@Test
	void anApplicationWhoseListenersAreSwitchedOffStartsNothing() {
		this.runner.withBean(Listener.class)
			.withPropertyValues(QUIET)
			.withPropertyValues("redelay.queue.listener.enabled=false")
			.run((context) -> {
				assertThat(context).doesNotHaveBean(QueueListenerEndpointRegistry.class);
				context.getBean(QueueOperations.class).send(this.queue, "first");
				assertNothingRunsBut("redelay-timer-1");
				assertThat(context.getBean(Listener.class).received).isEmpty();
			});
	}

	@Test
	void anApplicationWithNeitherQueuesNorLocksStartsWithoutARedis() {
		this.server.stop();
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.enabled=false", "redelay.lock.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(RedissonClient.class);
				assertThat(threads()).isEmpty();
			});
		this.runner.withPropertyValues("redelay.queue.enabled=false")
			.run((context) -> assertThat(context).as("locks need a Redis").hasFailed());
	}

	@Test
	void anApplicationThatOnlyListensOpensNoSender() {
		this.runner.withBean(Listener.class).run((consumer) -> {
			this.runner.run((producer) -> {
				producer.getBean(QueueOperations.class).send(this.queue, "first");
				assertThat(senders(producer)).isNotEmpty();
			});
			Awaitility.await()
				.untilAsserted(() -> assertThat(consumer.getBean(Listener.class).received).containsExactly("first"));
			assertThat(senders(consumer)).isEmpty();
		});
	}

	@Test
	void anApplicationWithListenersRunsThem() {
		this.runner.withBean(Listener.class).run((context) -> {
			Awaitility.await().untilAsserted(() -> {
				assertThat(subscribers()).isNotEmpty();
				assertThat(threads()).isNotEmpty();
				assertThat(commands()).contains("eval");
			});
		});
	}

	private void assertNothingRunsBut(String... threads) {
		this.server.command("CONFIG", "RESETSTAT");
		Awaitility.await().pollDelay(IDLE).untilAsserted(() -> {
			assertThat(commands()).isSubsetOf(EXPECTED);
			assertThat(threads()).containsExactly(threads);
			assertThat(subscribers()).isEmpty();
		});
		assertThat((List<?>) this.server.command("KEYS", "redelay:{:instances}*")).isEmpty();
	}

	private List<?> senders(ApplicationContext context) {
		String instance = context.getBean(QueueScripts.class).instance();
		return (List<?>) this.server.command("KEYS", "redelay:{" + this.queue + "}:sent:" + instance + ".*");
	}

	private List<String> commands() {
		return COMMAND.matcher(String.valueOf(this.server.command("INFO", "commandstats")))
			.results()
			.map((command) -> command.group(1))
			.toList();
	}

	private List<String> subscribers() {
		return String.valueOf(this.server.command("CLIENT", "LIST"))
			.lines()
			.filter((client) -> !client.contains(" sub=0 psub=0 "))
			.toList();
	}

	private List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.threadsBefore.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.startsWith("redelay-"))
			.toList();
	}

	static class Listener {

		private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

		@QueueListener("${test.queue}")
		void receive(String text) {
			this.received.add(text);
		}

	}

}
