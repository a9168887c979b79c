package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.redelay.lock.LockEvent;
import io.redelay.lock.LockThreads;
import io.redelay.lock.MicrometerLockListener;
import io.redelay.lock.MyLock;
import io.redelay.lock.quorum.QuorumLockProvider;
import io.redelay.lock.quorum.QuorumSettings;
import io.redelay.queue.DeathReason;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.InvariantListener;
import io.redelay.queue.listener.InletListener;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.logging.QueueMdc;
import io.redelay.queue.observation.MicrometerQueueMeter;
import io.redelay.queue.recurring.RecurringEvent;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;
import org.slf4j.MDC;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * The chapter "Observability" names what there is: all of it, and nothing else.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@DirtiesContext
class ObservabilityIntegrationTests {

	/**
	 * A logger that is not named as its class.
	 */
	private static final Pattern NAMED_LOGGER = Pattern.compile("PlainLog\\.of\\(\"([^\"]+)\"\\)");

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Path CHAPTER = Path.of("..", "docs", "src", "docs", "asciidoc", "observability.adoc");

	private static final List<Path> SOURCES = Stream
		.of("support", "lock", "queue", "actuator", "autoconfigure", "outbox", "modulith", "console")
		.map((module) -> Path.of("..", module, "src", "main", "java"))
		.toList();

	@Autowired
	private MeterRegistry meters;

	@Autowired
	private QueueOperations queues;

	@Autowired
	private ApplicationEventPublisher events;

	@DynamicPropertySource
	static void properties(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.url", () -> redis.uri().toString());
		registry.add("redelay.queue.key-prefix", () -> TestRedis.queue());
		registry.add("redelay.queue.queues.seen.dead-letters.redrive.delay", () -> "1ms");
	}

	@Test
	void namesTheMetersAndTheirTags(@Autowired Listener listener, @Autowired InvariantListener invariants,
			@Autowired InletListener inlets, @Autowired MicrometerQueueMeter meter) throws IOException {
		inlets.onTaken("seen", 1);
		meter.leftOut("seen", 1);
		invariants.violated("seen", Invariant.HELD_COUNT);
		this.events.publishEvent(new RedisRolledBackEvent("seen", "sender", 3, 2, 0, 1));
		this.events.publishEvent(new RecurringEvent("seen", "nightly", RecurringEvent.Kind.LATE, Instant.EPOCH, 1));
		for (int i = 0; i < 2; i++) {
			this.queues.send(OutboundMessage.to("seen", "x").header("key", "same"));
		}
		this.queues.send(OutboundMessage.to("seen", "fail").maxAttempts(1));
		this.queues.send("unheard", "x");
		Awaitility.await().untilAsserted(() -> {
			assertThat(this.meters.get("redelay.queues").gauge().value()).isPositive();
			assertThat(meters()).containsKeys("messaging.process.duration", "redelay.lock.hold",
					"redelay.queue.duplicates", "redelay.queue.failures", "redelay.queue.settled",
					"redelay.queue.redriven", "redelay.queue.ready", "redelay.queue.trouble");
		});
		// Those of what is under way are there only while it is.
		assertThat(listener.active).containsOnlyKeys("messaging.process.duration.active");
		Map<String, Set<String>> seen = meters();
		seen.putAll(listener.active);
		seen.put("messaging.client.operation.duration.active",
				listener.active.get("messaging.process.duration.active"));
		assertThat(rows("== Meters", 3)).isEqualTo(seen);
	}

	@Test
	void namesTheOutcomesOfLocks() throws IOException {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		MicrometerLockListener listener = new MicrometerLockListener(registry);
		for (LockEvent.Type type : LockEvent.Type.values()) {
			listener.onLockEvent(new LockEvent(type, "label", List.of("name"), Duration.ZERO, null));
		}
		String chapter = Files.readString(CHAPTER);
		for (String meter : List.of("redelay.lock.wait", "redelay.lock.hold")) {
			Matcher row = Pattern.compile("\\|`outcome` of `" + meter + "` \\|(.*)").matcher(chapter);
			assertThat(row.find()).as(meter).isTrue();
			assertThat(quoted(row.group(1))).isEqualTo(registry.find(meter)
				.meters()
				.stream()
				.map((each) -> each.getId().getTag("outcome"))
				.collect(Collectors.toCollection(TreeSet::new)));
		}
	}

	@Test
	void namesTheValuesOfTags() throws IOException {
		this.queues.send("values", "x");
		Awaitility.await().untilAsserted(() -> {
			assertThat(values("messaging.operation.name")).contains("process", "settle");
			// The handler's meter is there while it runs, and its lock's only afterwards.
			assertThat(values("name")).isEqualTo(Set.of("seen:#{text}"));
			assertThat(values("error")).contains("none");
		});
		assertThat(values("messaging.system")).isEqualTo(Set.of("redelay"));
		assertThat(values("messaging.operation.type")).isEqualTo(Set.of("send", "receive", "settle", "process"));
		assertThat(values("messaging.operation.name")).isEqualTo(Set.of("send", "claim", "settle", "process"));
		assertThat(quotedRow("`redelay.outcome` of `redelay.queue.settled`"))
			.isEqualTo(this.meters.find("redelay.queue.settled")
				.meters()
				.stream()
				.map((meter) -> meter.getId().getTag("redelay.outcome"))
				.collect(Collectors.toSet()));
		assertThat(rows("|Tag |Values", 2).keySet()).contains("messaging.system", "messaging.operation.type",
				"messaging.destination.name", "error", "name");
	}

	@Test
	void namesTheEvents() throws IOException {
		String chapter = Files.readString(CHAPTER);
		Stream
			.of(Arrays.stream(MessageRetryListener.class.getDeclaredMethods())
				.filter((method) -> !method.isSynthetic())
				.map((method) -> method.getName()), names(LockEvent.Type.values()), names(DeathReason.values()))
			.flatMap((names) -> names)
			.forEach((name) -> assertThat(chapter).contains("`" + name + "`"));
	}

	@Test
	void namesTheEntriesOfTheMdc(@Autowired Listener listener) throws IOException {
		this.queues.send("seen", "y");
		Awaitility.await().untilAsserted(() -> assertThat(listener.mdc).isNotEmpty());
		assertThat(rows("|Entry |What", 2).keySet()).isEqualTo(listener.mdc)
			.isEqualTo(Set.of(QueueMdc.QUEUE, QueueMdc.ID, QueueMdc.ATTEMPT, QueueMdc.LISTENER));
	}

	@Test
	void namesTheLoggersAndTheirLevels() throws IOException {
		Set<String> used = new TreeSet<>();
		for (Path sources : SOURCES) {
			try (Stream<Path> files = Files.walk(sources)) {
				for (Path file : files.filter((each) -> each.toString().endsWith(".java")).toList()) {
					String source = Files.readString(file);
					if (source.contains("PlainLog.of(")) {
						Matcher named = NAMED_LOGGER.matcher(source);
						String logger = named.find() ? named.group(1)
								: sources.relativize(file).toString().replace(".java", "").replace('/', '.');
						levels(source).forEach((level) -> used.add(logger + " " + level));
					}
				}
			}
		}
		Set<String> named = Pattern.compile("(?m)^\\|`(io\\.redelay\\.[^`]+)` \\|`([A-Z]+)`")
			.matcher(Files.readString(CHAPTER))
			.results()
			.map((row) -> row.group(1) + " " + row.group(2))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(named).as("loggers in the table of observability.adoc; what the code logs must be there")
			.containsExactlyInAnyOrderElementsOf(used);
	}

	private static Stream<String> names(Enum<?>[] values) {
		return Arrays.stream(values).map(Enum::name);
	}

	private static Stream<String> levels(String source) {
		Stream<String> direct = Pattern.compile("\\blogger\\s*\\.(warn|error|info)\\(")
			.matcher(source)
			.results()
			.map((call) -> call.group(1).toUpperCase(Locale.ROOT));
		Stream<String> helped = source.contains("FailureText.warn") ? Stream.of("WARN") : Stream.empty();
		return Stream.concat(direct, helped);
	}

	private Map<String, Set<String>> meters() {
		return tags(this.meters);
	}

	private static Map<String, Set<String>> tags(MeterRegistry registry) {
		Map<String, Set<String>> tags = new TreeMap<>();
		for (Meter meter : registry.getMeters()) {
			if (isOurs(meter)) {
				tags.computeIfAbsent(meter.getId().getName(), (name) -> new TreeSet<>())
					.addAll(meter.getId().getTags().stream().map(Tag::getKey).toList());
			}
		}
		return tags;
	}

	private Set<String> values(String tag) {
		return this.meters.getMeters()
			.stream()
			.filter((meter) -> isOurs(meter))
			.map((meter) -> meter.getId().getTag(tag))
			.filter((value) -> value != null)
			.collect(Collectors.toSet());
	}

	private static boolean isOurs(Meter meter) {
		return meter.getId().getName().matches("(redelay|messaging)\\..*");
	}

	private static Set<String> quotedRow(String start) throws IOException {
		Matcher row = Pattern.compile("(?m)^\\|" + Pattern.quote(start) + " \\|(.*)")
			.matcher(Files.readString(CHAPTER));
		assertThat(row.find()).as(start).isTrue();
		return quoted(row.group(1));
	}

	/**
	 * The rows of the table after a text: what their first column quotes, and what the
	 * column of that number does.
	 */
	private static Map<String, Set<String>> rows(String after, int column) throws IOException {
		String chapter = Files.readString(CHAPTER);
		int from = chapter.indexOf(after);
		String table = chapter.substring(from, chapter.indexOf("\n|===\n", chapter.indexOf("\n\n|", from)));
		Map<String, Set<String>> rows = new TreeMap<>();
		Pattern.compile("(?m)^\\|`([^`]+)` (.*)")
			.matcher(table)
			.results()
			.forEach((row) -> rows.put(row.group(1), quoted(row.group(2).split("\\|")[column - 1])));
		return rows;
	}

	private static Set<String> quoted(String text) {
		return Pattern.compile("`([^`]+)`")
			.matcher(text)
			.results()
			.map((MatchResult match) -> match.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	static class Listener {

		private final MeterRegistry meters;

		private final Work work;

		volatile Map<String, Set<String>> active = Map.of();

		volatile Set<String> mdc = Set.of();

		Listener(MeterRegistry meters, Work work) {
			this.meters = meters;
			this.work = work;
		}

		@QueueListener(queues = { "seen", "values" }, idempotencyKey = "#{headers['key'] ?: id}")
		void handle(String text) {
			Map<String, Set<String>> tags = tags(this.meters);
			tags.keySet().retainAll(Set.of("messaging.process.duration.active"));
			this.active = tags;
			this.mdc = MDC.getCopyOfContextMap()
				.keySet()
				.stream()
				.filter((key) -> key.startsWith("redelay."))
				.collect(Collectors.toSet());
			if (text.equals("fail")) {
				throw new IllegalStateException("fails");
			}
			this.work.run(text);
		}

	}

	static class Work {

		@MyLock(name = "seen:#{text}")
		void run(String text) {
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Listener.class, Work.class })
	static class Application {

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

		@Bean("quorum")
		QuorumLockProvider quorum(LockThreads threads) {
			Map<String, Supplier<RedissonClient>> servers = new TreeMap<>();
			List.of("a:6379", "b:6379", "c:6379")
				.forEach((server) -> servers.put(server, () -> mock(RedissonClient.class)));
			return new QuorumLockProvider(servers, new QuorumSettings(Duration.ofSeconds(30), Duration.ofSeconds(1)),
					threads, "test");
		}

		@Bean
		ObservationRegistry observations(MeterRegistry meters) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
			return registry;
		}

	}

}
