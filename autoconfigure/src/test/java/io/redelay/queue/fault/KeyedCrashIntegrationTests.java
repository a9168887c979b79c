package io.redelay.queue.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.Backoff;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.extent.Extent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that dies while it handles messages with keys, priorities and limits,
 * beside another one that goes on.
 */
class KeyedCrashIntegrationTests extends FaultTests {

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messagesOfAKeyGoOnInTheirOrderOneAtATime() {
		ConfigurableApplicationContext survivor = instance(OrderedListener.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		List<String> payloads = IntStream.range(0, Extent.of(90, 360))
			.mapToObj((i) -> "key" + i % 6 + "-" + i / 6)
			.toList();
		queue(survivor).sendAll(payloads.stream()
			.map((payload) -> OutboundMessage.to(this.queue, payload).orderingKey(payload.split("-")[0]))
			.toList());
		InstanceProcess victim = process(OrderedListener.class, "test.instance=victim", "test.handling=300ms");
		awaitJournal(redisson, "done", " victim", 5);
		start(survivor);
		awaitJournal(redisson, "done", " here", 5);
		victim.kill();
		awaitAll(redisson, payloads);
		List<String> journal = Journal.read(redisson, this.queue);
		new KeyOrder().assertKept(journal);
		assertThat(journal).as("both have handled some").anyMatch((line) -> line.endsWith(" victim"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void quietKeysAndHighPrioritiesGoFirstAfterACrashToo() {
		ConfigurableApplicationContext survivor = instance(OneByOneListener.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		List<OutboundMessage> messages = new ArrayList<>();
		IntStream.range(0, 100).forEach((i) -> messages.add(message("loud-" + i, "loud", 4)));
		IntStream.range(0, 15).forEach((i) -> messages.add(message("quiet" + i % 3 + "-" + i, "quiet" + i % 3, 4)));
		queue(survivor).sendAll(messages);
		InstanceProcess victim = process(OneByOneListener.class, "test.instance=victim", "test.most=3");
		awaitJournal(redisson, "done", " victim", 3);
		victim.kill();
		queue(survivor).sendAll(IntStream.range(0, 10).mapToObj((i) -> message("urgent-" + i, "loud", 9)).toList());
		start(survivor);
		awaitAll(redisson,
				Stream
					.concat(messages.stream().map((message) -> (String) message.payload()),
							IntStream.range(0, 10).mapToObj((i) -> "urgent-" + i))
					.toList());
		// What the victim had in hand comes when its lease has run out.
		List<String> handled = Journal.payloads(redisson, this.queue, "begin").stream().distinct().toList();
		List<String> byVictim = Journal.read(redisson, this.queue, "begin")
			.stream()
			.filter((line) -> line.endsWith(" victim"))
			.map((line) -> line.split(" ")[1])
			.toList();
		List<String> bySurvivor = handled.subList(byVictim.size(), handled.size());
		assertThat(bySurvivor.subList(0, 10)).allSatisfy((payload) -> assertThat(payload).startsWith("urgent"));
		// The victim may have died with one that it had not begun.
		assertThat(bySurvivor.subList(0, lastButOneOf(bySurvivor, "quiet"))).as("before the last quiet ones")
			.filteredOn((payload) -> payload.startsWith("loud"))
			.hasSizeLessThan(10);
	}

	static List<String> limits() {
		List<String> all = List.of("test.max-in-flight=2", "test.key-max-in-flight=1");
		return all.subList(0, Extent.of(1, all.size()));
	}

	@ParameterizedTest
	@MethodSource("limits")
	@Execution(ExecutionMode.CONCURRENT)
	void permitsOfAKilledInstanceComeBack(String limit) {
		ConfigurableApplicationContext survivor = instance(LimitedListener.class, "test.listening=false", limit);
		RedissonClient redisson = redisson(survivor);
		List<String> payloads = IntStream.range(0, 12).mapToObj((i) -> "m" + i).toList();
		queue(survivor).sendAll(IntStream.range(0, 12)
			.mapToObj((i) -> OutboundMessage.to(this.queue, payloads.get(i)).fairnessKey("key" + i % 2))
			.toList());
		InstanceProcess victim = process(LimitedListener.class, "test.instance=victim", "test.handling=1h", limit);
		awaitJournal(redisson, "begin", " victim", 2);
		start(survivor);
		Awaitility.await()
			.during(Duration.ofMillis(500))
			.until(() -> Journal.read(redisson, this.queue, "begin").size() == 2);
		victim.kill();
		awaitAll(redisson, payloads);
		assertThat(mostAtATime(Journal.read(redisson, this.queue))).isEqualTo(2);
	}

	private OutboundMessage message(String payload, String key, int priority) {
		return OutboundMessage.to(this.queue, payload).fairnessKey(key).priority(priority);
	}

	private void awaitJournal(RedissonClient redisson, String event, String instance, int count) {
		Awaitility.await()
			.until(() -> Journal.read(redisson, this.queue, event)
				.stream()
				.filter((line) -> line.endsWith(instance))
				.count() >= count);
	}

	private void awaitAll(RedissonClient redisson, List<String> payloads) {
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "done")).containsAll(payloads));
	}

	private static void start(ConfigurableApplicationContext instance) {
		instance.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
	}

	/**
	 * How many the survivor handled at a time.
	 */
	private static int mostAtATime(List<String> journal) {
		int running = 0;
		int most = 0;
		for (String line : journal) {
			if (line.endsWith(" here")) {
				running += line.startsWith("begin ") ? 1 : -1;
				most = Math.max(most, running);
			}
		}
		return most;
	}

	private static int lastButOneOf(List<String> payloads, String prefix) {
		int[] places = IntStream.range(0, payloads.size()).filter((i) -> payloads.get(i).startsWith(prefix)).toArray();
		return places[places.length - 2];
	}

	/**
	 * Fails now and then, at the first attempt.
	 */
	@Import(Journal.class)
	static class OrderedListener {

		private final Journal journal;

		private final Duration handling;

		OrderedListener(Journal journal, @Value("${test.handling:20ms}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "4", prefetch = "8",
				autoStartup = "${test.listening:true}",
				backoff = @Backoff(initialInterval = "100ms", multiplier = "1", jitter = "0"))
		void handle(String payload, DeliveryInfo delivery) throws InterruptedException {
			this.journal.write("begin", payload);
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			if (payload.endsWith("3") && delivery.failures() == 0) {
				this.journal.write("failed", payload);
				throw new IllegalStateException("thrown by a test");
			}
			this.journal.write("done", payload);
		}

	}

	/**
	 * Holds one message at a time.
	 */
	@Import(Journal.class)
	static class OneByOneListener {

		private final Journal journal;

		/**
		 * How many it handles; it holds the next one until it is killed.
		 */
		private final int most;

		private int handled;

		OneByOneListener(Journal journal, @Value("${test.most:1000000}") int most) {
			this.journal = journal;
			this.most = most;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "1", prefetch = "0",
				autoStartup = "${test.listening:true}")
		void handle(String payload) throws InterruptedException {
			this.journal.write("begin", payload);
			if (this.handled++ == this.most) {
				new CountDownLatch(1).await();
			}
			this.journal.write("done", payload);
		}

	}

	/**
	 * Handles as many at a time as its limit says, over all instances.
	 */
	@Import(Journal.class)
	static class LimitedListener {

		private final Journal journal;

		private final Duration handling;

		LimitedListener(Journal journal, @Value("${test.handling:50ms}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "8", maxInFlight = "${test.max-in-flight:}",
				keyMaxInFlight = "${test.key-max-in-flight:}", autoStartup = "${test.listening:true}")
		void handle(String payload) throws InterruptedException {
			this.journal.write("begin", payload);
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			this.journal.write("done", payload);
		}

	}

}
