package io.redelay.autoconfigure;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.ObjectName;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockType;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.listener.ListenerDefinition;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.QueueReceiver;
import org.redisson.api.RedissonClient;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A program that opens and closes many contexts, one after the other, and prints what is
 * left of them.
 */
public final class ContextSeries {

	/**
	 * What the first contexts leave is what a JVM needs once.
	 */
	private static final int FIRST = 5;

	/**
	 * What names in Redis begin with, those of this run.
	 */
	private static final String NAME = "series-" + UUID.randomUUID();

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private ContextSeries() {
	}

	/**
	 * Runs the program.
	 * @param args where Redis is, and how many contexts there are after the first ones
	 */
	public static void main(String[] args) throws Exception {
		int contexts = Integer.parseInt(args[1]);
		List<Remains> remains = new ArrayList<>();
		for (int i = 0; i < FIRST; i++) {
			remains.add(run(args[0], i));
		}
		awaitEnd(remains);
		Map<String, Long> before = instances();
		for (int i = 0; i < contexts; i++) {
			remains.add(run(args[0], FIRST + i));
		}
		awaitEnd(remains);
		Map<String, Long> gained = gained(before, contexts);
		for (long start = System.nanoTime(); !gained.isEmpty()
				&& System.nanoTime() - start < LIMIT.toNanos(); gained = gained(before, contexts)) {
			TimeUnit.SECONDS.sleep(1);
		}
		gained.forEach((what, count) -> System.out.println("STAYS " + count + " more of " + what));
		remains.stream().flatMap(Remains::alive).forEach((what) -> System.out.println("ALIVE " + what));
		System.out.println("DONE");
		System.exit(0);
	}

	private static void awaitEnd(List<Remains> remains) throws InterruptedException {
		for (long start = System.nanoTime(); System.nanoTime() - start < LIMIT.toNanos()
				&& remains.stream().flatMap(Remains::alive).findAny().isPresent();) {
			System.gc();
			TimeUnit.MILLISECONDS.sleep(500);
		}
	}

	/**
	 * What there is more of than one for two contexts.
	 */
	private static Map<String, Long> gained(Map<String, Long> before, int contexts) throws JMException {
		Map<String, Long> gained = new TreeMap<>();
		instances().forEach((what, count) -> {
			long more = count - before.getOrDefault(what, 0L);
			if (more > contexts / 2) {
				gained.put(what, more);
			}
		});
		return gained;
	}

	/**
	 * How many objects of each class are reachable, and how many MBeans there are.
	 * Threads that hook into the shutdown, tasks of timers and values of thread-locals
	 * are objects as well.
	 */
	private static Map<String, Long> instances() throws JMException {
		String histogram = (String) ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[0] }, new String[] { String[].class.getName() });
		Map<String, Long> instances = new HashMap<>();
		histogram.lines().map((line) -> line.trim().split("\\s+")).filter(ContextSeries::isCounted).forEach((row) -> {
			// Generated classes have numbers in their names.
			instances.merge(row[3].replaceAll("(\\$\\$|0x|/).*", ""), Long.parseLong(row[1]), Long::sum);
		});
		instances.put("MBeans", ManagementFactory.getPlatformMBeanServer().getMBeanCount().longValue());
		return instances;
	}

	/**
	 * Entries of caches and of maps of thread-locals are left out: what they led to is
	 * gone, and the JVM and Spring drop them some time later.
	 */
	private static boolean isCounted(String[] row) {
		return row.length >= 4 && row[0].endsWith(":") && !row[3].endsWith("EntryReference")
				&& !row[3].endsWith("ThreadLocalMap$Entry") && !row[3].startsWith(ContextSeries.class.getName())
				&& Stream
					.of("io.redelay.", "org.redisson.", "io.netty.", "io.micrometer.", "org.springframework.",
							"java.lang.Thread", "java.util.concurrent.Scheduled",
							"java.util.concurrent.CompletableFuture", "java.util.concurrent.ThreadPool",
							"java.util.Timer", "java.lang.ref.Cleaner", "java.net.", "sun.nio.ch.")
					.anyMatch(row[3]::startsWith);
	}

	private static Remains run(String uri, int number) throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("spring.data.redis.url=" + uri, "spring.main.banner-mode=off",
					"spring.main.log-startup-info=false", "logging.level.root=warn", "test.name=" + NAME,
					"test.number=" + number, "spring.jmx.enabled=true", "redelay.events.feed.enabled=true",
					"redelay.trouble.interval=1s", "management.endpoints.jmx.exposure.include=*",
					"redelay.queue.queues." + NAME + "-left-" + number + ".partitions=2",
					"spring.application.name=series")
			.run();
		try {
			use(context, number);
			return Remains.of(context);
		}
		finally {
			context.close();
		}
	}

	private static void use(ConfigurableApplicationContext context, int number) throws Exception {
		QueueOperations queues = context.getBean(QueueOperations.class);
		Handler handler = context.getBean(Handler.class);
		CountDownLatch events = new CountDownLatch(1);
		context.getBean(QueueEvents.class).subscribe((event) -> events.countDown());
		context.getBean(QueueEvents.class).subscribeToFeed((batch) -> {
		});
		String queue = NAME + "-" + number;
		for (int i = 0; i < 20; i++) {
			queues.send(queue, "x".repeat(1000));
			queues.sendAsync(OutboundMessage.to(queue, "y".repeat(1000)));
		}
		queues.sendAll(IntStream.range(0, 20).mapToObj((i) -> OutboundMessage.to(queue, "z")).toList());
		queues.send(queue, "later", Duration.ofHours(1));
		queues.sendForResult(OutboundMessage.to(queue, "result"), String.class).get(2, TimeUnit.MINUTES);
		queues.publish(NAME + "-topic-" + number, "published");
		queues.publishAsync(OutboundMessage.to(NAME + "-topic-" + number, "published later")).get();
		queues.send(NAME + "-left-" + number, "left");
		MessageBundles bundles = context.getBean(MessageBundles.class);
		bundles.send(BundleCallback.to(queue), List.of(OutboundMessage.to(queue, "of a bundle")));
		context.getBean(RecurringMessages.class)
			.declare(RecurringDeclaration.every(queue, "often", Duration.ofSeconds(1)).payload("tick"));
		context.getBean(QueueListeners.class)
			.register(ListenerDefinition.of("late", NAME + "-late-" + number)
				.handler(String.class, (payload) -> handler.late().countDown()));
		queues.send(NAME + "-late-" + number, "late");
		QueueAdmin admin = context.getBean(QueueAdmin.class);
		admin.control().pause(NAME + "-left-" + number);
		String id = queues.send(NAME + "-left-" + number, "cancelled", Duration.ofHours(1)).id();
		admin.messages().cancel(NAME + "-left-" + number, id);
		queues.send(NAME + "-pulled-" + number, "pulled");
		context.getBean(QueueReceiver.class)
			.receive(NAME + "-pulled-" + number, 1, Duration.ofSeconds(5))
			.forEach((message) -> message.acknowledge());
		LockTemplate locks = context.getBean(LockTemplate.class);
		for (MyLockType type : MyLockType.values()) {
			locks.execute(LockSpec.of(NAME + "-" + type + number).withType(type), () -> "locked");
		}
		handler.locked();
		handler.await();
		await(events);
	}

	static void await(CountDownLatch latch) throws InterruptedException {
		if (!latch.await(2, TimeUnit.MINUTES)) {
			throw new IllegalStateException("A handler was not called in time");
		}
	}

	/**
	 * What is to be gone of a context that is closed.
	 *
	 * @param parts by their names
	 */
	private record Remains(Map<String, WeakReference<Object>> parts) {

		static Remains of(ConfigurableApplicationContext context) {
			Map<String, WeakReference<Object>> parts = new TreeMap<>();
			parts.put("context", new WeakReference<>(context));
			parts.put("client", new WeakReference<>(context.getBean(RedissonClient.class)));
			parts.put("memory", new WeakReference<>(context.getBean(QueueScripts.class).replayMemory()));
			parts.put("handler", new WeakReference<>(context.getBean(Handler.class)));
			parts.put("meters", new WeakReference<>(context.getBean(SimpleMeterRegistry.class)));
			return new Remains(parts);
		}

		Stream<String> alive() {
			return this.parts.entrySet()
				.stream()
				.filter((part) -> part.getValue().get() != null)
				.map(Map.Entry::getKey);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class,
			LifecycleAutoConfiguration.class, JacksonAutoConfiguration.class, AopAutoConfiguration.class,
			TransactionAutoConfiguration.class, JmxAutoConfiguration.class, EndpointAutoConfiguration.class,
			JmxEndpointAutoConfiguration.class, RedissonAutoConfiguration.class, LockAutoConfiguration.class,
			QueueAutoConfiguration.class, QueueMetricsAutoConfiguration.class, GuardAutoConfiguration.class,
			QueueHealthAutoConfiguration.class, QueueEndpointAutoConfiguration.class,
			LockEndpointAutoConfiguration.class })
	static class Application {

		@Bean
		Handler handler() {
			return new Handler();
		}

		@Bean
		TroubleListener troubleListener() {
			return (event) -> {
			};
		}

		@Bean
		SimpleMeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

	}

	static class Handler {

		private final CountDownLatch handled = new CountDownLatch(60);

		private final CountDownLatch published = new CountDownLatch(2);

		private final CountDownLatch late = new CountDownLatch(1);

		@QueueListener(value = "${test.name}-${test.number}", concurrency = "4")
		String handle(String payload) {
			this.handled.countDown();
			return payload;
		}

		@QueueListener(topic = "${test.name}-topic-${test.number}", group = "group")
		void published(String payload) {
			this.published.countDown();
		}

		@MyLock(value = "${test.name}-held-${test.number}", minHold = 10, unit = TimeUnit.MINUTES)
		void locked() {
		}

		CountDownLatch late() {
			return this.late;
		}

		void await() throws InterruptedException {
			ContextSeries.await(this.handled);
			ContextSeries.await(this.published);
			ContextSeries.await(this.late);
		}

	}

}
