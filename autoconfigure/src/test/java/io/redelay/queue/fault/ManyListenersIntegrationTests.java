package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.engine.RecurringMaintenance;
import io.redelay.queue.recurring.engine.RecurringMaintenanceDriver;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a thousand listeners of one application need, each with a queue and a recurring
 * message of its own, while there is nothing to do.
 */
@Tag("full")
class ManyListenersIntegrationTests {

	private static final int LISTENERS = 1000;

	private static final int THREADS = 60;

	private static final int POOL = 8;

	private static final int REQUESTS_A_SECOND = 20;

	private static final int COMMANDS_A_SECOND = 10;

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final Duration SAFETY_POLL = Duration.ofSeconds(5);

	private static final Pattern COMMANDS = Pattern.compile("total_commands_processed:(\\d+)");

	private static final Pattern SCRIPTS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

	private static Set<Thread> threadsBefore;

	private static RedisServer redis;

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void start() {
		threadsBefore = threads();
		redis = RedisServer.start();
		application = Instance.start(ManyListeners.class, List.of("spring.data.redis.url=" + redis.uri(),
				"redelay.redisson.connection-pool-size=" + POOL, "redelay.queue.safety-poll-interval=" + SAFETY_POLL));
	}

	@AfterAll
	static void stop() {
		application.close();
		redis.close();
	}

	@BeforeEach
	void fallAsleep() {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> ((List<?>) redis.command("KEYS", "redelay:{*}:sleepers")).size() == LISTENERS);
		assertThat(application.getBean(QueueListenerEndpointRegistry.class).getContainers()).hasSize(LISTENERS);
		Awaitility.await().atMost(PATIENCE).until(() -> ((List<?>) redis.command("PUBSUB", "CHANNELS")).size() == 1);
		// Once they listen to it, all look once more.
		AtomicLong last = new AtomicLong();
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> {
			long requests = requests();
			return requests - last.getAndSet(requests) <= 2 * REQUESTS_A_SECOND;
		});
	}

	@Test
	void theyShareFewThreadsAndConnections() {
		assertThat(threads().stream().filter((thread) -> !threadsBefore.contains(thread)).map(Thread::getName))
			.hasSizeLessThan(THREADS);
		assertThat(connections("pubsub")).isEqualTo(1);
		assertThat((List<?>) redis.command("PUBSUB", "CHANNELS")).hasSize(1);
		// The one that asks is also there.
		assertThat(connections("normal")).isLessThanOrEqualTo(POOL + 1);
	}

	/**
	 * Looked at for longer than the interval at which each would look for messages if it
	 * were alone. Commands that scripts call are counted by the server, too. Each has a
	 * recurring message; these are looked through so seldom that it is not seen here, and
	 * is added.
	 */
	@Test
	void togetherTheyCostRedisFewRequestsAndCommandsWhileIdle() {
		RecurringMessages recurring = application.getBean(RecurringMessages.class);
		Awaitility.await().atMost(PATIENCE).until(() -> recurring.list().size() == LISTENERS);
		RecurringMaintenance care = application.getBean(RecurringMaintenance.class);
		long beforeRound = commands();
		IntStream.range(0, LISTENERS).forEach((i) -> RecurringMaintenanceDriver.lookThrough(care, "many-" + i));
		double commandsASecond = COMMANDS_A_SECOND
				- (commands() - beforeRound) / (double) RecurringMaintenanceDriver.secondsOfARound();
		long requestsBefore = requests();
		long commandsBefore = commands();
		long start = System.nanoTime();
		Duration idle = SAFETY_POLL.multipliedBy(2);
		Awaitility.await()
			.pollDelay(idle)
			.atMost(idle.plus(PATIENCE))
			.pollInterval(Duration.ofSeconds(2))
			.untilAsserted(() -> {
				long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
				assertThat(requests() - requestsBefore).isLessThanOrEqualTo(REQUESTS_A_SECOND * seconds);
				assertThat(commands() - commandsBefore).isLessThan((long) (commandsASecond * seconds));
			});
	}

	/**
	 * Each of them comes back by itself after more than an hour.
	 */
	@Test
	void aLostWakeUpIsNoticed() throws Exception {
		String name = "many-" + ThreadLocalRandom.current().nextInt(LISTENERS);
		redis.command("DEL", "redelay:{" + name + "}:sleepers");
		application.getBean(QueueOperations.class).send(name, "lost");
		assertThat(application.getBean(Queues.class).handled.poll(2, TimeUnit.MINUTES)).isEqualTo(name + " lost");
	}

	@Test
	void anyOfThemIsWokenUp() throws Exception {
		String name = "many-" + ThreadLocalRandom.current().nextInt(LISTENERS);
		application.getBean(QueueOperations.class).send(name, "hello");
		assertThat(application.getBean(Queues.class).handled.poll(2, TimeUnit.MINUTES)).isEqualTo(name + " hello");
	}

	private static Set<Thread> threads() {
		return Set.copyOf(Thread.getAllStackTraces().keySet());
	}

	private static long connections(String type) {
		return String.valueOf(redis.command("CLIENT", "LIST", "TYPE", type)).lines().count();
	}

	private static long commands() {
		Matcher stats = COMMANDS.matcher(String.valueOf(redis.command("INFO", "stats")));
		assertThat(stats.find()).isTrue();
		return Long.parseLong(stats.group(1));
	}

	/**
	 * How many requests of queues there were, each of which is a script.
	 */
	private static long requests() {
		return SCRIPTS.matcher(String.valueOf(redis.command("INFO", "commandstats")))
			.results()
			.mapToLong((calls) -> Long.parseLong(calls.group(1)))
			.sum();
	}

	/**
	 * An application with the listeners.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Registrar.class)
	static class ManyListeners {

		@Bean
		Queues queues() {
			return new Queues();
		}

	}

	/**
	 * Registers the listeners.
	 */
	static class Registrar implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			for (int i = 0; i < LISTENERS; i++) {
				registry.registerBeanDefinition("listener" + i, new RootBeanDefinition(Listener.class));
			}
		}

	}

	/**
	 * Names the queues, and takes what is handled.
	 */
	static class Queues {

		final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

		private final AtomicInteger named = new AtomicInteger();

		public String next() {
			return "many-" + this.named.getAndIncrement();
		}

	}

	/**
	 * Listens to the next queue.
	 */
	static class Listener {

		private final Queues queues;

		Listener(Queues queues) {
			this.queues = queues;
		}

		@RecurringMessage(cron = "0 0 0 29 2 *", zone = "UTC")
		@QueueListener("#{@queues.next()}")
		void handle(String payload, @Header(QueueHeaders.QUEUE) String queue) {
			this.queues.handled.add(queue + " " + payload);
		}

	}

}
