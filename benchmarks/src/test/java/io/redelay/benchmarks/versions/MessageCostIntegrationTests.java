package io.redelay.benchmarks.versions;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.ObjectName;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a plain message costs and does not depend on the machine: bytes allocated,
 * commands of Redis with those of scripts, and objects kept. The figures stand in the
 * table that the performance page shows; a change that makes a message dearer has to
 * change them there.
 * <p>
 * This JVM compiles with its first compiler alone, which removes no allocation, so the
 * bytes are the same from run to run.
 */
class MessageCostIntegrationTests {

	private static final Path TABLE = Path.of("../docs/src/docs/asciidoc/figures/message-costs.csv");

	private static final int MESSAGES = 5_000;

	private static final int WARM_UP = 3;

	private static final double TOLERANCE = 1.06;

	private static final long OBJECTS_IN_HAND = 5;

	private static final Pattern HANDLING = Pattern.compile("io\\.redelay\\.queue\\.(claim|handle|script)\\.");

	private static Version version;

	@BeforeAll
	static void start() {
		version = new Version(null);
	}

	@AfterAll
	static void stop() {
		version.close();
	}

	static Stream<Cost> costs() throws IOException {
		return Files.readAllLines(TABLE).stream().skip(1).map(Cost::read);
	}

	@ParameterizedTest
	@MethodSource("costs")
	void aMessageCostsNoMoreThanBefore(Cost expected) {
		int messages = expected.work().messages(MESSAGES);
		for (int i = 0; i < WARM_UP; i++) {
			version.measure(expected.work(), messages);
		}
		VersionCost cost = Stream.generate(() -> version.measure(expected.work(), messages))
			.limit(3)
			.reduce(MessageCostIntegrationTests::smaller)
			.orElseThrow();
		assertThat(cost.allocatedBytes()).as("bytes allocated a message")
			.isLessThanOrEqualTo(expected.bytes() * TOLERANCE);
		assertThat(cost.commands()).as("commands a message").isLessThanOrEqualTo(expected.commands() * TOLERANCE);
	}

	/**
	 * Takes the smaller of each figure: what else runs in the JVM can only add to them.
	 */
	private static VersionCost smaller(VersionCost one, VersionCost other) {
		return new VersionCost(Math.min(one.commands(), other.commands()),
				Math.min(one.redisMicros(), other.redisMicros()), Math.min(one.clientMicros(), other.clientMicros()),
				Math.min(one.allocatedBytes(), other.allocatedBytes()));
	}

	@Test
	void aMessageInHandIsFewObjectsAndAHandledOneIsNone() throws Exception {
		int messages = 1_000;
		Holding listener = new Holding();
		try (RedisServer server = RedisServer.start();
				ConfigurableApplicationContext application = new SpringApplicationBuilder(
						VersionApplication.Configured.class)
					.web(WebApplicationType.NONE)
					.properties("spring.data.redis.url=" + server.uri())
					.initializers(
							(GenericApplicationContext context) -> context.registerBean(Holding.class, () -> listener))
					.run()) {
			Map<String, Long> before = objects();
			send(application, messages);
			Map<String, Long> inHand = Awaitility.await()
				.until(() -> more(before, objects()),
						(more) -> more.values().stream().anyMatch((each) -> each >= messages));
			inHand.values().removeIf((more) -> more < messages / 2);
			listener.room.release(messages);
			assertThat(listener.handled.tryAcquire(messages, 1, TimeUnit.MINUTES)).isTrue();
			assertThat(inHand.values().stream().mapToLong((more) -> more).sum()).as("objects in hand: %s", inHand)
				.isBetween((long) messages, OBJECTS_IN_HAND * messages);
			Awaitility.await().untilAsserted(() -> {
				Map<String, Long> handled = more(before, objects());
				handled.keySet().retainAll(inHand.keySet());
				assertThat(handled.values()).allMatch((more) -> more < messages / 10);
			});
		}
	}

	private static void send(ConfigurableApplicationContext application, int messages) {
		application.getBean(QueueOperations.class)
			.sendAll(IntStream.range(0, messages)
				.mapToObj((number) -> OutboundMessage.to(Holding.QUEUE, Map.of("number", number)))
				.toList());
	}

	/**
	 * How many objects of each class of the handling side live. What a sender keeps until
	 * Redis cannot lose it any more has a bound of its own.
	 */
	private static Map<String, Long> objects() throws JMException {
		String histogram = (String) ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[0] }, new String[] { String[].class.getName() });
		return histogram.lines()
			.map((line) -> line.strip().split("\\s+"))
			.filter((words) -> words.length > 3 && HANDLING.matcher(words[3]).lookingAt())
			.collect(Collectors.toMap((words) -> words[3], (words) -> Long.parseLong(words[1]), Long::sum));
	}

	private static Map<String, Long> more(Map<String, Long> before, Map<String, Long> after) {
		Map<String, Long> more = new HashMap<>(after);
		before.forEach((type, number) -> more.merge(type, -number, Long::sum));
		return more;
	}

	/**
	 * A row of the table.
	 *
	 * @param work what is done
	 * @param bytes how many bytes a message allocates on this version of Java
	 * @param commands how many commands it takes
	 */
	record Cost(VersionWork work, int bytes, double commands) {

		private static final int NEWER_JAVA = 21;

		private static Cost read(String row) {
			String[] fields = row.split(",");
			return new Cost(VersionWork.valueOf(fields[0].toUpperCase(Locale.ROOT)),
					Integer.parseInt(fields[(Runtime.version().feature() >= NEWER_JAVA) ? 2 : 1]),
					Double.parseDouble(fields[3]));
		}

	}

	static class Holding {

		static final String QUEUE = "held-messages";

		private final Semaphore room = new Semaphore(0);

		private final Semaphore handled = new Semaphore(0);

		@QueueListener(queues = QUEUE, concurrency = "1", prefetch = "1000")
		void handle(Map<String, Object> payload) throws InterruptedException {
			this.room.acquire();
			this.handled.release();
		}

	}

}
