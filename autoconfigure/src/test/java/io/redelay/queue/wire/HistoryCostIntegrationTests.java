package io.redelay.queue.wire;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.measure.CountsWriter;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.MarksKey;
import io.redelay.queue.script.admin.StatsKey;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what the history of a queue costs: the memory of a month, and what Redis
 * computes for it.
 */
class HistoryCostIntegrationTests {

	private static final int ROUNDS = 2_000;

	private static final Pattern MICROS = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+)");

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static RedisServer server;

	private static RedissonClient client;

	private final String queue = TestRedis.queue();

	private final StoreWorkbench bench = new StoreWorkbench(client, this.queue, timer);

	private final AdminScripts admin = this.bench.admin;

	private Instant now = Instant.now();

	private long request;

	private long perSecond = 10;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = TestRedis.connect(server.uri());
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		server.close();
		timer.shutdownNow();
	}

	/**
	 * The day is written in full, and of the month each step. Longer values are objects
	 * of their own.
	 */
	@ParameterizedTest
	@CsvSource({ "10, 6500, 13000", "5000, 20000, 40000" })
	void aMonthOfAQueueTakesBoundedMemory(int perSecond, long day, long month) {
		this.perSecond = perSecond;
		send();
		fill();
		assertThat(command("HLEN", "stats:day")).isEqualTo(96L);
		assertThat(command("HLEN", "stats:month")).isEqualTo(186L);
		assertThat((Long) memory("stats:day")).isBetween(1_000L, day);
		assertThat((Long) memory("stats:month")).isBetween(2_000L, month);
	}

	/**
	 * The figures on the page about performance: {@code ./mvnw -pl autoconfigure verify
	 * -Dit.test='HistoryCostIntegrationTests#costs*' -Dhistory.cost=true}.
	 */
	@Test
	@EnabledIfSystemProperty(named = "history.cost", matches = "true")
	void costsLittleToWriteAndToRead() {
		MarksKey marks = new MarksKey(this.admin.runner());
		StatsKey stats = new StatsKey(this.admin.runner());
		send();
		double first = cost("A new queue", () -> add(10));
		fill();
		for (int i = 0; i < 200; i++) {
			TestQueue.get(marks.note(this.queue, "id-" + i, "JOB_STARTED", "host-1234567:4711", "REDRIVE"));
		}
		System.out.printf("Memory: hour %s, day %s, month %s, marks %s bytes%n", memory("stats"), memory("stats:day"),
				memory("stats:month"), memory("marks"));
		double later = cost("A queue that was used for a month", () -> add(10));
		double hour = cost("Reading an hour", () -> stats.read(this.queue));
		double day = cost("Reading a day", () -> stats.read(this.queue, StatsKey.Ring.DAY));
		double month = cost("Reading a month", () -> stats.read(this.queue, StatsKey.Ring.MONTH));
		double marked = cost("Reading 200 marks", () -> marks.read(this.queue));
		assertThat(later / first).as("a write, after a month and at first").isLessThan(2);
		assertThat(Math.max(month, Math.max(day, marked)) / hour).as("the longest read, and an hour").isLessThan(30);
	}

	private void send() {
		this.bench.setClock(this.now.toEpochMilli());
		TestQueue queue = new TestQueue(this.queue, this.bench.store);
		queue.sender().send(queue.messages(3));
	}

	private void fill() {
		this.now = this.now.minus(Duration.ofDays(31));
		for (int i = 0; i < 186; i++) {
			TestQueue.get(add(4 * 3600));
			this.now = this.now.plus(Duration.ofHours(4));
		}
		this.now = this.now.minus(Duration.ofHours(24));
		for (int i = 0; i < 96; i++) {
			this.now = this.now.plus(Duration.ofMinutes(15));
			TestQueue.get(add(900));
		}
	}

	private CompletableFuture<Void> add(int seconds) {
		this.bench.setClock(this.now.toEpochMilli());
		long messages = this.perSecond * seconds;
		QueueCounts.Times waits = new QueueCounts.Times(messages, messages * 15, 2_345);
		QueueCounts.Times handlings = new QueueCounts.Times(messages, messages * 35_000, 1_234_567);
		return new StatsKey(this.admin.runner()).add(this.queue, "one", ++this.request, List.of(new CountsWriter.Span(0,
				new QueueCounts(messages, messages, messages / 100, messages / 1000, 9, waits, handlings))));
	}

	/**
	 * What Redis computes for a request, the clock of the test among it, and how long the
	 * caller waits.
	 */
	private static double cost(String what, Supplier<CompletableFuture<?>> call) {
		for (int i = 0; i < ROUNDS; i++) {
			TestQueue.get(call.get());
		}
		server.command("CONFIG", "RESETSTAT");
		long[] nanos = new long[ROUNDS];
		for (int i = 0; i < ROUNDS; i++) {
			long start = System.nanoTime();
			TestQueue.get(call.get());
			nanos[i] = System.nanoTime() - start;
		}
		Matcher matcher = MICROS.matcher(String.valueOf(server.command("INFO", "commandstats")));
		assertThat(matcher.find()).isTrue();
		Arrays.sort(nanos);
		double micros = Double.parseDouble(matcher.group(2)) / Long.parseLong(matcher.group(1));
		System.out.printf("%s: %.1f µs of Redis, half of the calls within %d µs%n", what, micros,
				nanos[ROUNDS / 2] / 1000);
		return micros;
	}

	private Object command(String command, String key) {
		return server.command(command, "redelay:{" + this.queue + "}:" + key);
	}

	private Object memory(String key) {
		return server.command("MEMORY", "USAGE", "redelay:{" + this.queue + "}:" + key);
	}

}
