package io.redelay.queue.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how long a script works for messages that are handed over to a queue where
 * many wait, by what Redis measures.
 */
class HandOverCostIntegrationTests {

	private static final int WAITING = 5_000;

	private static final int BATCH = 50;

	private static final int ROUNDS = 15;

	/**
	 * A look through the list of those that wait would take five times as long.
	 */
	private static final double MOST = 3;

	private static final Pattern MICROS = Pattern.compile("cmdstat_evalsha:calls=\\d+,usec=(\\d+)");

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static RedisServer server;

	private static RedissonClient client;

	private static QueueScripts store;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = TestRedis.connect(server.uri());
		store = TestScripts.create(client, "redelay", Duration.ofSeconds(30), timer, ReplayMemory.NONE);
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		server.close();
		timer.shutdownNow();
	}

	@Test
	void aMessageOfAnOutboxCostsTheSameHoweverManyWait() {
		assertSameCost("outbox", handingOver(null, (queue) -> queue.message("m")));
	}

	@Test
	void aMessageOfAnOutboxToALimitedQueueCostsTheSameHoweverManyWait() {
		assertSameCost("outbox, limited queue",
				handingOver(new LengthLimit(1_000_000, true, null), (queue) -> queue.message("m")));
	}

	@Test
	void aMessageForLaterCostsTheSameHoweverManyWait() {
		assertSameCost("outbox, for later", handingOver(null, (queue) -> queue.message("m", Duration.ofHours(1))));
	}

	@Test
	void aDeadLetterCostsTheSameHoweverManyWait() {
		assertSameCost("dead letters", handingOver(null, (queue) -> {
			NewMessage message = queue.message("m");
			return new NewMessage(message.uid(), "of " + message.uid(), null, null, message.envelope());
		}));
	}

	@Test
	void aMessageOfABundleCostsTheSameHoweverManyWait() {
		assertSameCost("bundles", handingOver(null,
				(queue) -> queue.message("m").inBundle(new BundleMembership(queue.name + "-callback", "bundle"))));
	}

	@Test
	void aMessageWithAKeyCostsTheSameHoweverManyWait() {
		assertSameCost("outbox, ordered",
				handingOver(null, (queue) -> queue.message("m", TestQueue.ordered("key of the outbox"))));
	}

	@Test
	void aNextStepCostsTheSameHoweverManyWait() {
		assertSameCost("next steps", (queue) -> {
			TestQueue source = new TestQueue(store);
			source.sender().send(source.messages(BATCH));
			TestQueue.Consumer consumer = source.consumer();
			List<Settlement> steps = new ArrayList<>();
			for (ClaimReply.Message message : consumer.claim(BATCH).messages()) {
				steps.add(Settlement.done(message.uid(), message.claim(),
						new Completion(List.of(new NextMessage(queue.name, queue.message("m"), null)), (counted) -> {
						})));
			}
			return () -> consumer.claim(0, steps);
		});
	}

	private static Function<TestQueue, Runnable> handingOver(LengthLimit limit, Function<TestQueue, NewMessage> maker) {
		return (queue) -> {
			TestSender batcher = new TestSender(store, queue.name, 1_000, limit, Duration.ofMinutes(5));
			// Opens the lane.
			TestQueue.get(batcher.send(List.of(maker.apply(queue))));
			List<NewMessage> messages = IntStream.range(0, BATCH).mapToObj((i) -> maker.apply(queue)).toList();
			return () -> TestQueue.get(batcher.send(messages));
		};
	}

	/**
	 * Compares medians, for what else the machine does counts for single requests.
	 */
	private static void assertSameCost(String what, Function<TestQueue, Runnable> requests) {
		TestQueue full = new TestQueue(store);
		TestQueue.Sender sender = full.sender();
		for (int i = 0; i < WAITING; i += 1_000) {
			sender.send(full.messages(1_000));
		}
		long[] few = new long[ROUNDS];
		long[] many = new long[ROUNDS];
		for (int i = 0; i < ROUNDS; i++) {
			TestQueue empty = new TestQueue(store);
			empty.sender().send(empty.messages(1));
			few[i] = micros(requests.apply(empty));
			many[i] = micros(requests.apply(full));
		}
		double before = median(few) / BATCH;
		double after = median(many) / BATCH;
		System.out.printf("%s: %.1f µs of Redis a message where none waits, %.1f where %d do%n", what, before, after,
				WAITING);
		assertThat(after).as("µs of Redis a message, where it took %.1f with none waiting", before)
			.isLessThan(MOST * before);
	}

	private static double median(long[] values) {
		Arrays.sort(values);
		return values[values.length / 2];
	}

	private static long micros(Runnable request) {
		server.command("CONFIG", "RESETSTAT");
		request.run();
		Matcher matcher = MICROS.matcher(String.valueOf(server.command("INFO", "commandstats")));
		assertThat(matcher.find()).isTrue();
		return Long.parseLong(matcher.group(1));
	}

}
