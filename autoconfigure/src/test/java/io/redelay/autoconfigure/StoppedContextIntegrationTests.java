package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.MyLock;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.recurring.RecurringMessage;
import jakarta.annotation.PreDestroy;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for a context that is stopped and started again, as for a checkpoint
 * of the JVM: what a stopped one holds, and that all of it works afterwards.
 */
class StoppedContextIntegrationTests {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final String HANDLED = "stopped-handled";

	private static final String TOPIC = "stopped-topic";

	private static final String LAST = "stopped-last";

	private final Set<Thread> threadsBefore = Set.copyOf(Thread.getAllStackTraces().keySet());

	private final RedisServer server = RedisServer.start();

	private final List<RedisServer> quorum = IntStream.range(0, 3).mapToObj((i) -> RedisServer.start()).toList();

	private final ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
		.web(WebApplicationType.NONE)
		.properties("spring.data.redis.url=" + this.server.uri(), "spring.main.banner-mode=off",
				"spring.main.log-startup-info=false", "redelay.events.feed.enabled=true", "redelay.trouble.interval=1s",
				// For sends of a context that is stopped, which fail after it.
				"redelay.queue.resend-timeout=1s",
				"redelay.lock.quorum.addresses="
						+ String.join(",", this.quorum.stream().map((each) -> each.uri().toString()).toList()))
		.run();

	private final Seen seen = this.context.getBean(Seen.class);

	private final Handler handler = this.context.getBean(Handler.class);

	private final QueueOperations queues = this.context.getBean(QueueOperations.class);

	@AfterEach
	void close() {
		this.context.close();
		this.server.close();
		this.quorum.forEach(RedisServer::close);
	}

	@Test
	void aStoppedContextHasNeitherConnectionsNorThreadsAndGoesOnWhenItIsStarted() {
		this.context.getBean(QueueEvents.class)
			.subscribeToFeed((batch) -> batch.events()
				.stream()
				.filter((event) -> event.type() == MessageEvent.Type.SENT)
				.forEach((event) -> this.seen.fed.add(event.id())));
		for (String round : List.of("first", "second", "third")) {
			assertAllWorks(round);
			this.context.stop();
			soon().untilAsserted(() -> {
				assertThat(connections(this.server)).isEmpty();
				assertThat(this.quorum).flatMap(StoppedContextIntegrationTests::connections).isEmpty();
				assertThat(newThreads()).isEmpty();
			});
			this.context.start();
		}
		assertAllWorks("last");
	}

	private void assertAllWorks(String round) {
		this.seen.handled.clear();
		// Many, one after the other, have the calling thread use a connection of its own.
		IntStream.range(0, 20).forEach((i) -> this.queues.send(HANDLED, round + i));
		String id = this.queues.send(OutboundMessage.to(HANDLED, round).id(round)).id();
		this.queues.send(HANDLED, round + "-later", Duration.ofMillis(100));
		this.queues.publish(TOPIC, round + "-published");
		soon().untilAsserted(() -> assertThat(this.seen.handled).hasSize(23)
			.contains(round, round + "0", round + "19", round + "-later", round + "-published"));
		soon().untilAsserted(() -> {
			assertThat(this.seen.events).containsOnlyOnce(id);
			assertThat(this.seen.fed).containsOnlyOnce(id);
			assertThat(this.seen.ticks).isNotEmpty();
		});
		this.seen.ticks.clear();
		soon().until(() -> !this.seen.ticks.isEmpty());
		this.handler.locked();
		this.handler.lockedByQuorum();
		this.context.getBean(LockTemplate.class).execute(LockSpec.of("stopped-lock"), () -> "locked");
	}

	@Test
	void aStoppedContextOpensNoConnection() {
		this.context.stop();
		RedissonClient client = this.context.getBean(RedissonClient.class);
		assertThat(client.getBucket("any", StringCodec.INSTANCE).getAsync().toCompletableFuture())
			.failsWithin(PATIENCE);
		assertThat(connections(this.server)).isEmpty();
	}

	@Test
	void aStoppedContextCanBeClosed() {
		this.context.stop();
		this.context.close();
		soon().untilAsserted(() -> assertThat(newThreads()).isEmpty());
	}

	@Test
	void aContextThatClosesCanSendToTheEnd() {
		this.context.close();
		assertThat(this.server.command("LLEN", "redelay:{" + LAST + "}:ready")).isEqualTo(1L);
	}

	/**
	 * The connections to a server, without that of the test.
	 */
	private static List<String> connections(RedisServer server) {
		return String.valueOf(server.command("CLIENT", "LIST"))
			.lines()
			.filter((line) -> !line.contains("cmd=client"))
			.toList();
	}

	private List<String> newThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !this.threadsBefore.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.startsWith("redelay-") && !name.startsWith("redelay-embedded-redis"))
			.toList();
	}

	private static ConditionFactory soon() {
		return await().atMost(PATIENCE);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class,
			LifecycleAutoConfiguration.class, JacksonAutoConfiguration.class, AopAutoConfiguration.class,
			RedissonAutoConfiguration.class, LockAutoConfiguration.class, QueueAutoConfiguration.class })
	static class Application {

		@Bean
		TroubleListener troubleListener() {
			return (event) -> {
			};
		}

		@Bean
		Seen seen() {
			return new Seen();
		}

		@Bean
		Handler handler(QueueOperations queues, Seen seen) {
			return new Handler(queues, seen);
		}

	}

	static class Seen {

		private final Queue<String> handled = new ConcurrentLinkedQueue<>();

		private final Queue<String> events = new ConcurrentLinkedQueue<>();

		private final Queue<String> fed = new ConcurrentLinkedQueue<>();

		private final Queue<String> ticks = new ConcurrentLinkedQueue<>();

	}

	static class Handler {

		private final QueueOperations queues;

		private final Seen seen;

		Handler(QueueOperations queues, Seen seen) {
			this.queues = queues;
			this.seen = seen;
		}

		@QueueListener(HANDLED)
		void handle(String payload) {
			this.seen.handled.add(payload);
		}

		@QueueListener(topic = TOPIC, group = "group")
		void published(String payload) {
			this.seen.handled.add(payload);
		}

		@QueueListener("stopped-ticks")
		@RecurringMessage(every = "1s")
		void tick() {
			this.seen.ticks.add("tick");
		}

		@EventListener
		void on(MessageEvent event) {
			if (event.type() == MessageEvent.Type.SENT) {
				this.seen.events.add(event.id());
			}
		}

		@EventListener
		void on(QueueEvent event) {
			this.seen.events.add(event.queue());
		}

		@MyLock(name = "stopped-held")
		public void locked() {
		}

		@MyLock(name = "stopped-quorum", lockProvider = "quorum")
		public void lockedByQuorum() {
		}

		@PreDestroy
		void send() {
			this.queues.send(LAST, "at the end");
		}

	}

}
