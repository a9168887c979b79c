package io.redelay.benchmarks.versions;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.listener.ListenerDefinition;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;

/**
 * An application of one of two versions on one Redis, which does what a test says in
 * words. Its handlers fail for a payload that begins with {@code fail}, once an instance,
 * and each time for one that begins with {@code die}. Each attempt has a trace.
 */
public final class SideApplication implements UnaryOperator<String>, AutoCloseable {

	private final ConfigurableApplicationContext context;

	private final Queue<String> handled = new ConcurrentLinkedQueue<>();

	private final Set<String> failed = ConcurrentHashMap.newKeySet();

	private final ExecutorService holders = Executors.newCachedThreadPool();

	/**
	 * Starts the application.
	 * @param redis where Redis is
	 */
	public SideApplication(String redis) {
		this.context = new SpringApplicationBuilder(Configured.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + redis, "redelay.queue.listener.backoff.initial-interval=100ms",
					"redelay.queue.listener.safety-poll-interval=1s", "redelay.queue.safety-poll-interval=1s",
					"redelay.queue.far-horizon=1h")
			.run();
	}

	@Override
	public String apply(String line) {
		String[] words = line.split(" ");
		String queue = words[1];
		QueueOperations queues = this.context.getBean(QueueOperations.class);
		QueueAdmin admin = this.context.getBean(QueueAdmin.class);
		return switch (words[0]) {
			case "send" -> queues.send(queue, words[2]).id();
			case "send-many" -> sendMany(queues, queue, words[2], Integer.parseInt(words[3]));
			case "send-later" -> queues.send(queue, words[2], Duration.ofMillis(Long.parseLong(words[3]))).id();
			case "send-far" -> Integer.toString(
					queues
						.sendAll(IntStream.range(0, Integer.parseInt(words[2]))
							.mapToObj((i) -> OutboundMessage.to(queue, "far" + i).delay(Duration.ofDays(2)))
							.toList())
						.size());
			case "send-rich" -> queues.send(OutboundMessage.to(queue, words[2])
				.id(words[2])
				.orderingKey("order")
				.fairnessKey("fair", 3)
				.priority(4)
				.tag("tag")
				.header("a", "b")
				.maxAttempts(2)
				.timeToLive(Duration.ofMinutes(5))
				.deduplicate(Deduplication.firstWins(words[2], Duration.ofMinutes(1)))).outcome().name();
			case "send-keyed" -> queues.send(OutboundMessage.to(queue, words[3]).orderingKey(words[2])).id();
			case "publish" -> queues.publish(OutboundMessage.to(queue, words[2])).toString();
			case "bundle" -> bundle(queue, words[2], Integer.parseInt(words[3]));
			case "recur" -> recur(queue, words[2]);
			case "listen" -> listen(ListenerDefinition.of(queue, queue).maxAttempts(Integer.parseInt(words[2])));
			case "join" -> listen(ListenerDefinition.of(queue).attribute("topic", queue).attribute("group", words[2]));
			case "leave" -> leave(queue);
			case "handled" -> handled(queue);
			case "check" -> check(admin.queues().check(queue));
			case "instances" -> Long.toString(admin.queues()
				.instances()
				.stream()
				.filter((instance) -> instance.listeners().stream().anyMatch((listener) -> listener.id().equals(queue)))
				.count());
			case "history" -> admin.queues()
				.history(queue)
				.minutes()
				.stream()
				.collect(Collectors.teeing(Collectors.summingLong(QueueMinute::sent),
						Collectors.summingLong(QueueMinute::handled), (sent, done) -> sent + " " + done));
			case "tagged" -> Integer.toString(admin.messages().findByTag(queue, words[2], null, 10).messages().size());
			case "cancel" -> Boolean.toString(admin.messages().cancel(queue, words[2]).done());
			case "dead" -> admin.deadLetters()
				.browse(queue, DeadLetterFilter.all(), 0, 100)
				.messages()
				.stream()
				.map((message) -> new String(message.payload(), StandardCharsets.UTF_8).replace("\"", ""))
				.sorted()
				.collect(Collectors.joining(" "));
			case "redrive" -> admin.deadLetters().redrive(queue, DeadLetterFilter.all()).toString();
			case "lock" -> lock();
			case "unlock" -> this.context.getBean(Locked.class).end();
			default -> throw new IllegalArgumentException(line);
		};
	}

	private static String sendMany(QueueOperations queues, String queue, String prefix, int count) {
		return Integer.toString(queues
			.sendAll(IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(queue, prefix + i)).toList())
			.size());
	}

	private String bundle(String queue, String callback, int count) {
		return this.context.getBean(MessageBundles.class)
			.send(BundleCallback.to(callback).id("bundle-" + queue),
					IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(queue, "part" + i)).toList())
			.toString();
	}

	private String recur(String queue, String name) {
		return this.context.getBean(RecurringMessages.class)
			.declare(RecurringDeclaration.every(queue, name, Duration.ofSeconds(1)).payload("tick"))
			.toString();
	}

	private String listen(ListenerDefinition definition) {
		return this.context.getBean(QueueListeners.class)
			.register(definition.messageHandler(String.class, (message) -> {
				handle(definition.id(), message);
				return null;
			}))
			.toString();
	}

	private String leave(String id) {
		this.context.getBean(QueueListeners.class).remove(id).join();
		return "";
	}

	/**
	 * Keeps when a message was handled, its payload, its attempt and the trace of its
	 * first attempt.
	 */
	private void handle(String queue, Message<String> message) {
		String payload = message.getPayload();
		if (payload.startsWith("die") || payload.startsWith("fail") && this.failed.add(queue + payload)) {
			throw new IllegalStateException(payload);
		}
		this.handled.add(queue + " " + System.nanoTime() + " " + payload.replaceAll("\\s", "") + " "
				+ message.getHeaders().get(QueueHeaders.ATTEMPT) + " " + this.context.getBean(Traces.class).earlier
					.getOrDefault(message.getHeaders().get(QueueHeaders.ID), "-"));
	}

	private String handled(String queue) {
		return this.handled.stream()
			.filter((line) -> line.startsWith(queue + " "))
			.map((line) -> line.substring(queue.length() + 1))
			.collect(Collectors.joining("\n"));
	}

	private static String check(QueueCheck check) {
		return check.sound() ? "sound" : check.problems().toString();
	}

	/**
	 * Has a thread hold the lock.
	 * @return whether it is held
	 */
	private String lock() {
		Locked locked = this.context.getBean(Locked.class);
		CompletableFuture<String> held = new CompletableFuture<>();
		this.holders.execute(() -> {
			try {
				locked.hold(held);
			}
			catch (RuntimeException ex) {
				held.completeExceptionally(ex);
			}
		});
		try {
			return held.join();
		}
		catch (CompletionException ex) {
			return "busy";
		}
	}

	@Override
	public void close() {
		this.context.close();
		this.holders.shutdownNow();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { "com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig",
			"com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig" })
	static class Configured {

		@Bean
		Traces traces() {
			return new Traces();
		}

		@Bean
		ObservationRegistry observationRegistry(Traces traces) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(traces);
			return registry;
		}

		@Bean
		Locked locked() {
			return new Locked();
		}

	}

	/**
	 * Gives each attempt a trace, and keeps those of first attempts that a retry knows.
	 */
	static class Traces implements ObservationHandler<QueueProcessContext> {

		private final Map<String, String> earlier = new ConcurrentHashMap<>();

		@Override
		public void onStart(QueueProcessContext context) {
			context.setTrace("00-%032x-%016x-01".formatted(context.getId().hashCode() & 0xffffL, 7));
			List<String> attempts = context.getEarlierAttempts();
			if (!attempts.isEmpty()) {
				this.earlier.put(context.getId(), attempts.get(0));
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof QueueProcessContext;
		}

	}

	static class Locked {

		private volatile CountDownLatch end = new CountDownLatch(1);

		@MyLock(name = "side-by-side", waitTime = 0, lockStrategy = MyLockStrategy.FAIL_FAST)
		void hold(CompletableFuture<String> held) {
			this.end = new CountDownLatch(1);
			held.complete("held");
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		String end() {
			this.end.countDown();
			return "";
		}

	}

}
