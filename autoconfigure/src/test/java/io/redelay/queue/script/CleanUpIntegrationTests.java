package io.redelay.queue.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.idempotency.RunOnceScript;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that scripts clean up at least as much as one request adds, however much that is,
 * with a clock that the test sets.
 */
class CleanUpIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final int MANY = 1_000;

	private static final int ROUNDS = 8;

	private final String name = TestRedis.queue();

	private final StoreWorkbench bench = new StoreWorkbench(redis.client(), this.name, timer);

	private final TestQueue queue = new TestQueue(this.name, this.bench.store);

	private long now = System.currentTimeMillis() + Duration.ofHours(1).toMillis();

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@BeforeEach
	void setClock() {
		pass(Duration.ZERO);
	}

	@Test
	void keysThatTheFirstWins() {
		TestQueue.Sender sender = this.queue.sender();
		for (int round = 0; round < ROUNDS; round++) {
			List<NewMessage> messages = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				messages.add(new NewMessage(new Uids().next() + "x" + i, null, null, null, TestQueue.envelope("m"),
						null, Deduplication.firstWins(round + "-" + i, Duration.ofSeconds(1))));
			}
			sender.send(messages);
			pass(Duration.ofSeconds(2));
		}
		assertThat(sorted("dedup:expiries")).isLessThanOrEqualTo(MANY);
		assertThat(redis.client().getMap(this.queue.key("dedup"), StringCodec.INSTANCE).size())
			.isLessThanOrEqualTo(2 * MANY);
	}

	@Test
	void ratesOfKeys() {
		RateLimit rate = RateLimit.parse("1/1s");
		TestQueue.Consumer consumer = this.queue.consumer(new ClaimLimits(null, null, rate, null, null));
		List<Settlement> settlements = List.of();
		for (int round = 0; round < ROUNDS; round++) {
			List<NewMessage> messages = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				messages.add(this.queue.message("m", TestQueue.fair(round + "-" + i, 1)));
			}
			this.queue.sender().send(messages);
			ClaimReply reply = consumer.claim(MANY, settlements);
			assertThat(reply.messages()).hasSize(MANY);
			settlements = acks(reply);
			pass(Duration.ofSeconds(5));
		}
		assertThat(sorted("rates")).isLessThanOrEqualTo(MANY);
	}

	@Test
	void burstingRatesOfKeys() {
		RateLimit rate = RateLimit.parse("1/1s bursting");
		TestQueue.Consumer consumer = this.queue.consumer(new ClaimLimits(null, null, rate, null, null));
		List<Settlement> settlements = List.of();
		for (int round = 0; round < ROUNDS; round++) {
			List<NewMessage> messages = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				messages.add(this.queue.message("m", TestQueue.fair(round + "-" + i, 1)));
			}
			this.queue.sender().send(messages);
			settlements = acks(consumer.claim(MANY, settlements));
			pass(Duration.ofSeconds(5));
		}
		assertThat(redis.client().getMap(this.queue.key("bursts"), StringCodec.INSTANCE).size())
			.isLessThanOrEqualTo(MANY);
	}

	@Test
	void gatesOfKeysOfWhichNothingComes() {
		CommandBatcher commands = this.bench.admin.steer().batcher(this.name);
		for (int round = 0; round < ROUNDS; round++) {
			int first = round * 100;
			TestQueue.get(commands.send(IntStream.range(first, first + 100)
				.mapToObj((i) -> MessageCommand.gate("key-" + i, Duration.ofSeconds(1)))
				.toList()));
			pass(Duration.ofSeconds(2));
		}
		assertThat(sorted("gates")).isLessThanOrEqualTo(100);
	}

	@Test
	void whatOwnersOfRunsLeaveThatDie() {
		for (int owner = 0; owner < 3 * ROUNDS; owner++) {
			List<RunOnceScript.Step> steps = new ArrayList<>();
			for (int i = 0; i < RunOnceScript.Request.MAX_STEPS; i++) {
				steps.add(
						new RunOnceScript.Step(RunOnceScript.Step.Action.BEGIN, owner + "-" + i, "run", Duration.ZERO));
			}
			TestQueue.get(new RunOnceScript(this.bench.store.runner()).run(this.name,
					new RunOnceScript.Request("owner-" + owner, 1, 0, null, Duration.ofSeconds(1), steps)));
			pass(Duration.ofSeconds(2));
		}
		assertThat(redis.client().getMap(this.queue.key("idempotent:running"), StringCodec.INSTANCE).size())
			.isLessThanOrEqualTo(6 * RunOnceScript.Request.MAX_STEPS);
	}

	@Test
	void completedMessages() {
		TestQueue.Consumer consumer = this.queue.consumer();
		List<Settlement> settlements = List.of();
		for (int round = 0; round < 3; round++) {
			this.queue.sender().send(this.queue.messages(MANY));
			settlements = consumer.claim(MANY, settlements)
				.messages()
				.stream()
				.map((message) -> Settlement.done(message.uid(), message.claim(), kept()))
				.toList();
			pass(Duration.ofSeconds(1));
		}
		consumer.claim(0, settlements);
		assertThat(sorted("completed")).isLessThanOrEqualTo(5);
	}

	private static Completion kept() {
		return new Completion(
				List.of(new KeptMessage(null, new RetentionBounds(Duration.ofHours(1), 5, RetentionBounds.ANY_SIZE))),
				(accepted) -> {
				});
	}

	@Test
	void messagesBeyondTheLengthOfAQueue() {
		TestSender limited = new TestSender(this.bench.store, this.name, MANY, new LengthLimit(10, true, null));
		this.queue.sender().send(this.queue.messages(MANY));
		for (int round = 0; round < 3; round++) {
			TestQueue.get(limited.send(this.queue.messages(10)));
		}
		assertThat(redis.client().getMap(this.queue.key("messages"), StringCodec.INSTANCE).size())
			.isLessThanOrEqualTo(10);
	}

	@Test
	void whatIsKeptOfATopic() {
		try (AdminScripts store = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer,
				ReplayMemory.NONE, new RedisAvailability(timer));
				ListenerApplication application = ListenerApplication.on(redis).start()) {
			TestQueue.get(store.topics().subscribe().run(this.name, "group", Duration.ofHours(1), DeclaredFilter.NONE));
			TestQueue.get(store.topics().topic().keep(this.name, new TopicRetention(Duration.ZERO, 10, 0)));
			IntStream.range(0, MANY)
				.mapToObj((i) -> application.queues().publishAsync(OutboundMessage.to(this.name, "m" + i)))
				.toList()
				.forEach(TestQueue::get);
			assertThat(redis.client().getStream("redelay:{" + this.name + "}@:log", StringCodec.INSTANCE).size())
				.isBetween(1L, 10L);
		}
	}

	private static List<Settlement> acks(ClaimReply reply) {
		return reply.messages().stream().map((message) -> Settlement.ack(message.uid(), message.claim())).toList();
	}

	private int sorted(String key) {
		return redis.client().getScoredSortedSet(this.queue.key(key), StringCodec.INSTANCE).size();
	}

	private void pass(Duration time) {
		this.now += time.toMillis();
		this.bench.setClock(this.now);
	}

}
