package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.TestSender;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how many commands a script runs inside Redis, which is most of what it costs.
 */
class DelayQueueStoreCostIntegrationTests {

	private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z|]+):calls=(\\d+)");

	/**
	 * Redis before 7.0 does not show what is behind the bar.
	 */
	private static final Set<String> OUTSIDE = Set.of("evalsha", "eval", "script|load", "script", "info",
			"config|resetstat", "config", "ping", "client|setname", "client|setinfo", "client", "hello");

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static RedisServer server;

	private static RedissonClient client;

	private final TestQueue queue = new TestQueue(
			TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE));

	private final TestQueue.Sender sender = this.queue.sender();

	private final TestQueue.Consumer consumer = this.queue.consumer();

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

	@Test
	void aBatchThatIsClaimedWhileTheLastIsSettledCostsFewCommands() {
		this.sender.send(this.queue.messages(1_000));
		List<Settlement> settlements = acks(this.consumer.claim(100));
		assertCost("settle 100 and claim 100", 12, () -> this.consumer.claim(100, settlements));
	}

	@Test
	void aBatchOfDelayedMessagesCostsTwoMore() {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			messages.add(this.queue.message("m", Duration.ofMillis(1)));
		}
		this.sender.send(messages);
		List<Settlement> settlements = acks(this.consumer.claim(100));
		assertCost("settle 100 and claim 100 that become due", 15, () -> this.consumer.claim(100, settlements));
	}

	@Test
	void aBatchWithIdsCostsFewMore() {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			messages.add(this.queue.messageWithId("id " + i, "m"));
		}
		this.sender.send(messages);
		List<Settlement> settlements = acks(this.consumer.claim(100));
		assertCost("settle 100 and claim 100, with ids", 21, () -> this.consumer.claim(100, settlements));
	}

	@Test
	void sendingAHundredCostsFewCommands() {
		this.sender.send(this.queue.messages(1));
		assertCost("send 100", 6, () -> this.sender.send(this.queue.messages(100)));
	}

	@Test
	void sendingAHundredForLaterCostsNoMore() {
		this.sender.send(this.queue.messages(1));
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			messages.add(this.queue.message("m", Duration.ofMinutes(1)));
		}
		assertCost("send 100 for later", 6, () -> this.sender.send(messages));
	}

	@Test
	void lookingInVainCostsFewCommands() {
		this.consumer.claimOrSleep(Duration.ofMinutes(1));
		assertCost("look in vain", 13, () -> this.consumer.claimOrSleep(Duration.ofMinutes(1)));
	}

	@Test
	void lookingAtAQueueCostsTheSameHoweverMuchItHolds() {
		AdminScripts admin = new AdminScripts(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
		Runnable look = () -> {
			TestQueue.get(admin.count().run(this.queue.name));
			TestQueue.get(new LanesScript(admin.runner()).run(this.queue.name));
			assertThat(TestQueue.get(admin.messages().browse(this.queue.name, MessageState.READY, 0, 100)).messages())
				.hasSize(100);
		};
		this.sender.send(this.queue.messages(200));
		Map<String, Integer> few = calls(look);
		for (int i = 0; i < 20; i++) {
			this.sender.send(this.queue.messages(1_000));
		}
		assertThat(calls(look)).isEqualTo(few);
		assertThat(few).doesNotContainKeys("hgetall", "hkeys", "smembers", "keys", "scan");
	}

	@Test
	void roomIsMadeInABoundedTimeWhereManyWereCancelled() {
		AdminScripts admin = new AdminScripts(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
		CommandBatcher commands = admin.steer().batcher(this.queue.name);
		for (int i = 0; i < 6; i++) {
			List<NewMessage> messages = this.queue.messages(500);
			this.sender.send(messages);
			TestQueue.get(commands.send(messages.stream()
				.map((message) -> new MessageCommand(MessageCommand.Action.CANCEL, message.uid(), "", ""))
				.toList()));
		}
		this.sender.send(this.queue.messages(2));
		TestSender limited = new TestSender(this.queue.store, this.queue.name, 10, new LengthLimit(1, true, null));
		int steps = calls(() -> TestQueue.get(limited.send(this.queue.messages(1)))).values()
			.stream()
			.mapToInt(Integer::intValue)
			.sum();
		assertThat(steps).isLessThan(9_000);
		for (int i = 0; i < 3; i++) {
			TestQueue.get(limited.send(this.queue.messages(1)));
		}
		assertThat(TestQueue.get(admin.count().run(this.queue.name)).messages().ready()).isOne();
	}

	@Test
	void aStepOfAPurgeIsBounded() {
		AdminScripts admin = new AdminScripts(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
		String lane = TestQueue.get(admin.steer().openLane(this.queue.name));
		this.sender.send(this.queue.messages(5_000));
		Map<String, Integer> calls = calls(() -> assertThat(
				TestQueue.get(new PurgeScript(admin).run(this.queue.name, lane, 1, MessageState.READY, 1_000))
					.removed())
			.isEqualTo(1_000));
		assertThat(calls.values().stream().mapToInt(Integer::intValue).sum()).isLessThan(7_000);
		assertThat(TestQueue.get(admin.count().run(this.queue.name)).messages().ready()).isEqualTo(4_000);
	}

	private static List<Settlement> acks(ClaimReply reply) {
		assertThat(reply.messages()).hasSize(100);
		return reply.messages().stream().map((message) -> Settlement.ack(message.uid(), message.claim())).toList();
	}

	private static void assertCost(String what, int most, Runnable request) {
		Map<String, Integer> calls = calls(request);
		int sum = calls.values().stream().mapToInt(Integer::intValue).sum();
		System.out.printf("%s: %d commands %s%n", what, sum, calls);
		assertThat(sum).as("commands to %s: %s", what, calls).isLessThanOrEqualTo(most);
	}

	private static Map<String, Integer> calls(Runnable request) {
		server.command("CONFIG", "RESETSTAT");
		request.run();
		Map<String, Integer> calls = new TreeMap<>();
		Matcher matcher = CALLS.matcher(String.valueOf(server.command("INFO", "commandstats")));
		while (matcher.find()) {
			calls.put(matcher.group(1), Integer.parseInt(matcher.group(2)));
		}
		calls.keySet().removeAll(OUTSIDE);
		return calls;
	}

}
