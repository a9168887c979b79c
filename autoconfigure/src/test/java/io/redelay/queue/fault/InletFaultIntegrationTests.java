package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.inlet.InletTakeover;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances that die while they take over from an inlet, a Redis that goes back in time,
 * and one that is full: each entry becomes one message.
 */
class InletFaultIntegrationTests extends FaultTests {

	private static final int ENTRIES = 10_000;

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().config("dir " + this.folder, "save \"\"").start();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(2)).ignoreExceptionsInstanceOf(UnknownQueueException.class);
	}

	private String[] properties(String... others) {
		List<String> all = new ArrayList<>(List.of("redelay.queue.queues." + this.queue + ".inlet.enabled=true",
				"redelay.queue.inlet.poll-interval=20ms"));
		all.addAll(List.of(others));
		return all.toArray(String[]::new);
	}

	private String key() {
		return "redelay:inlet:{" + this.queue + "}";
	}

	private void push(Object... payloads) {
		for (Object payload : payloads) {
			this.redis.command("RPUSH", key(), "{\"payload\": \"" + payload + "\"}");
		}
	}

	/**
	 * The payloads of all messages that live.
	 */
	private List<String> payloads(ConfigurableApplicationContext context) {
		RedissonClient redisson = redisson(context);
		return redisson.<String, String>getMap("redelay:{" + this.queue + "}:messages", StringCodec.INSTANCE)
			.readAllValues()
			.stream()
			.map((message) -> JsonMapper.shared().readTree(message).get("payload").asString())
			.toList();
	}

	private long length() {
		return (Long) Objects.requireNonNull(this.redis.command("LLEN", key()));
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void eachEntryBecomesOneMessageAlthoughInstancesAreKilledWhileTheyTakeOver() {
		InstanceProcess first = process(Slow.class, properties("test.pause=200us"));
		InstanceProcess second = process(Slow.class, properties("test.pause=200us"));
		QueueAdmin admin = instance(Slow.class, "test.pause=0s").getBean(QueueAdmin.class);
		await().until(() -> admin.queues()
			.instances()
			.stream()
			.filter((each) -> each.inlets().contains(this.queue))
			.count() == 2);
		// All are as long, so that it is not by their length that they are distinguished.
		this.redis.command(Stream
			.concat(Stream.of("RPUSH", key()),
					IntStream.range(0, ENTRIES).mapToObj((i) -> "{\"payload\": \"%05d\"}".formatted(i)))
			.toArray(String[]::new));
		await().until(() -> length() <= ENTRIES * 4 / 5);
		first.kill();
		long left = length();
		assertThat(left).as("it died in the middle").isPositive();
		await().until(() -> length() < left);
		second.kill();
		assertThat(length()).as("so did the other one").isPositive();
		ConfigurableApplicationContext last = instance(Slow.class, properties("test.pause=0s"));
		await().until(() -> length() == 0);
		List<String> payloads = payloads(last);
		assertThat(payloads).hasSize(ENTRIES);
		assertThat(new HashSet<>(payloads)).hasSize(ENTRIES);
		assertThat(last.getBean(QueueAdmin.class).queues().info(this.queue).dead()).isZero();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasTakenOverIsThereOnceAfterRedisWentBack() {
		ConfigurableApplicationContext one = instance(Slow.class, properties("test.pause=0s", REPLAY));
		ConfigurableApplicationContext two = instance(Slow.class,
				properties("test.pause=0s", REPLAY, "redelay.queue.queues." + this.queue + ".inlet.enabled=false"));
		push("before");
		await().until(() -> payloads(one).contains("before"));
		InletTakeover takeover = one.getBean(InletTakeover.class);
		takeover.stop();
		push("waits", "waits", "wrong\" ");
		this.redis.command("SAVE");
		takeover.start();
		QueueAdmin admin = two.getBean(QueueAdmin.class);
		await().until(() -> payloads(one).size() == 3 && admin.queues().info(this.queue).dead() == 1);
		push("since", "bad\" ");
		await().until(() -> payloads(one).contains("since") && admin.queues().info(this.queue).dead() == 2);
		this.redis.kill();
		this.redis.restart();
		assertThat(length()).as("entries that are there again").isEqualTo(3);
		await().untilAsserted(() -> {
			assertThat(payloads(one)).containsExactlyInAnyOrder("before", "waits", "waits", "since");
			assertThat(admin.queues().info(this.queue).dead()).isEqualTo(2);
			assertThat(length()).isZero();
		});
		push("last");
		await().until(() -> payloads(one).contains("last"));
		assertThat(payloads(one)).containsExactlyInAnyOrder("before", "waits", "waits", "since", "last");
		assertThat(admin.queues().info(this.queue).dead()).isEqualTo(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void entriesStayWhileRedisIsFull() {
		ConfigurableApplicationContext one = instance(Slow.class, properties("test.pause=0s"));
		push("first");
		await().until(() -> payloads(one).size() == 1);
		one.getBean(InletTakeover.class).stop();
		push("a", "wrong\" ", "b");
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		one.getBean(InletTakeover.class).start();
		await().until(() -> String.valueOf(this.redis.command("INFO", "commandstats")).contains("cmdstat_lrange")
				&& String.valueOf(this.redis.command("INFO", "errorstats")).contains("errorstat_OOM"));
		assertThat(length()).isEqualTo(3);
		assertThat(payloads(one)).hasSize(1);
		this.redis.command("CONFIG", "SET", "maxmemory", "0");
		await().until(() -> payloads(one).size() == 3 && length() == 0);
		assertThat(one.getBean(QueueAdmin.class).queues().info(this.queue).dead()).isOne();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void allInletsOfAnInstanceCostOneRequestAnInterval() {
		List<String> inlets = new ArrayList<>(List.of("test.pause=0s", "redelay.queue.inlet.poll-interval=500ms"));
		IntStream.range(0, 300)
			.forEach((i) -> inlets.add("redelay.queue.queues." + this.queue + "-" + i + ".inlet.enabled=true"));
		instance(Slow.class, inlets.toArray(String[]::new));
		awaitScripts(1);
		this.redis.command("CONFIG", "RESETSTAT");
		long start = System.nanoTime();
		// Beside the looks, the instance announces itself every five seconds.
		awaitScripts(12);
		assertThat(System.nanoTime() - start).as("the time of twelve requests").isGreaterThan(2_000_000_000L);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anInstanceWithoutAnInletAsksForNone() {
		ConfigurableApplicationContext one = instance(Slow.class, "test.pause=0s",
				"redelay.queue.inlet.poll-interval=10ms");
		queue(one).send(this.queue, "x");
		push("lies there");
		Awaitility.await().pollDelay(Duration.ofSeconds(1)).until(() -> payloads(one).size() == 1);
		assertThat(length()).isOne();
		assertThat(String.valueOf(this.redis.command("INFO", "commandstats"))).doesNotContain("cmdstat_lrange");
	}

	private void awaitScripts(int count) {
		await().until(() -> {
			Matcher calls = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)")
				.matcher(String.valueOf(this.redis.command("INFO", "commandstats")));
			int sum = 0;
			while (calls.find()) {
				sum += Integer.parseInt(calls.group(1));
			}
			return sum >= count;
		});
	}

	/**
	 * Takes its time to convert.
	 */
	@Component
	static class Slow implements SendInterceptor {

		private final Duration pause;

		Slow(@Value("${test.pause}") String pause) {
			this.pause = pause.endsWith("us") ? Duration.ofNanos(1000L * Integer.parseInt(pause.replace("us", "")))
					: Duration.ZERO;
		}

		@Override
		public OutboundMessage beforeSend(OutboundMessage message) {
			LockSupport.parkNanos(this.pause.toNanos());
			return message;
		}

	}

}
