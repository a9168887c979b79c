package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances that die while they handle.
 */
class CrashIntegrationTests extends FaultTests {

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAKilledInstanceHeldIsFinishedByAnother() {
		InstanceProcess victim = process(SlowListener.class, "test.instance=victim", "test.handling=1h");
		ConfigurableApplicationContext survivor = instance(SlowListener.class, "test.listening=false",
				"test.handling=400ms", "redelay.queue.safety-poll-interval=10m");
		RedissonClient redisson = redisson(survivor);
		List<String> numbers = IntStream.range(0, 3 * SlowListener.CONCURRENCY).mapToObj(String::valueOf).toList();
		queue(survivor).sendAll(numbers.stream().map((number) -> OutboundMessage.to(this.queue, number)).toList());
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() >= SlowListener.CONCURRENCY);
		victim.kill();
		List<String> left = redisson
			.<String, String>getMap("redelay:{" + this.queue + "}:messages", StringCodec.INSTANCE)
			.readAllValues()
			.stream()
			.map((message) -> JsonMapper.shared().readTree(message).get("payload").asString())
			.toList();
		assertThat(left).as("what the victim held").isNotEmpty();
		survivor.getBean(io.redelay.queue.config.QueueListenerEndpointRegistry.class)
			.getContainers()
			.forEach(io.redelay.queue.claim.QueueListenerContainer::start);
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "done")).containsAll(numbers));
		assertThat(mostAtATime(Journal.read(redisson, this.queue))).as("side by side, not one after the other")
			.isGreaterThan(1);
		assertThat(Journal.read(redisson, this.queue, "done").stream().filter((line) -> line.endsWith(" here")))
			.extracting((line) -> line.split(" ")[1])
			.containsExactlyInAnyOrderElementsOf(left);
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatKillsItsInstanceIsSetApartAndItsNeighboursAreHandled() {
		ConfigurableApplicationContext sender = instance(PoisonListener.class, "test.listening=false");
		RedissonClient redisson = redisson(sender);
		List<String> neighbours = IntStream.range(0, 20).mapToObj((i) -> "good-" + i).toList();
		neighbours.subList(0, 10).forEach((payload) -> queue(sender).send(this.queue, payload));
		queue(sender).send(this.queue, "poison");
		neighbours.subList(10, 20).forEach((payload) -> queue(sender).send(this.queue, payload));
		int deaths = 0;
		InstanceProcess instance = process(PoisonListener.class, "redelay.queue.listener.max-attempts=2");
		while (dead(redisson) == 0) {
			InstanceProcess running = instance;
			Awaitility.await().until(() -> !running.isAlive() || dead(redisson) > 0);
			if (!running.isAlive()) {
				deaths++;
				assertThat(deaths).as("deaths of instances").isLessThanOrEqualTo(3);
				instance = process(PoisonListener.class, "redelay.queue.listener.max-attempts=2");
			}
		}
		assertThat(deaths).as("once as one of many, twice as a suspect").isEqualTo(3);
		Awaitility.await()
			.untilAsserted(() -> assertThat(Journal.payloads(redisson, this.queue, "done")).containsAll(neighbours));
		assertThat(redisson.getMap("redelay:{" + this.queue + "}:dead:messages", StringCodec.INSTANCE).readAllValues())
			.as("the body, the cause, and how large they are")
			.hasSize(3)
			.anySatisfy((value) -> assertThat(value.toString()).contains("\"payload\":\"poison\""))
			.anySatisfy((value) -> assertThat(value.toString()).contains("\"reason\":\"CRASHED\""));
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

	private int dead(RedissonClient redisson) {
		return redisson.getScoredSortedSet("redelay:{" + this.queue + "}:dead").size();
	}

	/**
	 * Takes its time.
	 */
	@Import(Journal.class)
	static class SlowListener {

		static final int CONCURRENCY = 4;

		private final Journal journal;

		private final Duration handling;

		SlowListener(Journal journal, @Value("${test.handling:1s}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "" + CONCURRENCY, prefetch = "8",
				autoStartup = "${test.listening:true}")
		void handle(String number) throws InterruptedException {
			this.journal.write("begin", number);
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			this.journal.write("done", number);
		}

	}

	/**
	 * Dies of one message.
	 */
	@Import(Journal.class)
	static class PoisonListener {

		private final Journal journal;

		PoisonListener(Journal journal, @Value("${test.queue}") String queue) {
			this.journal = journal;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "4", prefetch = "8",
				autoStartup = "${test.listening:true}")
		void handle(String payload) {
			if (payload.equals("poison")) {
				Runtime.getRuntime().halt(1);
			}
			this.journal.write("done", payload);
		}

	}

}
