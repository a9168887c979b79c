package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.LaneScript;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.TestSender;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of messages with ordering keys, fairness keys and priorities against a real
 * Redis.
 */
class KeyedMessagesIntegrationTests {

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static RedisServer server;

	private static RedissonClient client;

	private static QueueScripts store;

	private static AdminScripts admin;

	private final TestQueue queue = new TestQueue(store);

	private final TestQueue.Sender sender = this.queue.sender();

	private final TestQueue.Consumer one = this.queue.consumer();

	private final TestQueue.Consumer two = this.queue.consumer();

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = TestRedis.connect(server.uri());
		store = TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		admin = new AdminScripts(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		server.close();
		timer.shutdownNow();
	}

	// Ordering ------------------------------------------------------------------------

	@Test
	void ofAnOrderingKeyOneIsHeldAtATime() {
		this.sender.send(ordered("a1", "a"), ordered("a2", "a"), ordered("b1", "b"), this.queue.message("plain"));
		ClaimReply first = this.one.claim(10);
		assertThat(payloads(first)).containsExactly("a1", "b1", "plain");
		assertThat(payloads(this.two.claim(10))).isEmpty();
		assertThat(payloads(this.one.claim(10, ack(first, 0)))).containsExactly("a2");
	}

	@Test
	void theOrderOutlastsRetriesAndReturns() {
		this.sender.send(ordered("a1", "a"), ordered("a2", "a"));
		ClaimReply.Message held = this.one.claim(10).messages().get(0);
		held = this.one.claim(10, Settlement.retry(held.uid(), held.claim(), Duration.ZERO, "")).messages().get(0);
		assertThat(TestQueue.payload(held)).isEqualTo("a1");
		held = this.one.claim(10, Settlement.giveBack(held.uid(), held.claim(), Duration.ZERO)).messages().get(0);
		assertThat(TestQueue.payload(held)).isEqualTo("a1");
		assertThat(this.one.claim(10, Settlement.retry(held.uid(), held.claim(), Duration.ofMillis(50), "")).messages())
			.isEmpty();
		held = Awaitility.await().until(() -> this.two.claim(10).messages(), (messages) -> !messages.isEmpty()).get(0);
		assertThat(TestQueue.payload(held)).isEqualTo("a1");
		assertThat(payloads(this.two.claim(10, Settlement.ack(held.uid(), held.claim())))).containsExactly("a2");
	}

	@Test
	void theOrderOutlastsALaneThatDies() {
		TestQueue.Consumer dying = this.queue.consumer(Duration.ofMillis(50));
		this.sender.send(ordered("a1", "a"), ordered("a2", "a"));
		assertThat(payloads(dying.claim(10))).containsExactly("a1");
		ClaimReply reply = Awaitility.await()
			.until(() -> this.one.claim(10), (claimed) -> !claimed.messages().isEmpty());
		assertThat(payloads(reply)).containsExactly("a1");
		assertThat(payloads(this.one.claim(10, ack(reply, 0)))).containsExactly("a2");
	}

	@Test
	void whatAConsumerHasInHandAfterARollBackKeepsTheTurnFromWhatItHasFinished() {
		this.sender.send(ordered("a1", "a"), ordered("a2", "a"), ordered("a3", "a"));
		List<String> uids = TestQueue.get(admin.messages().browse(this.queue.name, MessageState.READY, 0, 10))
			.messages()
			.stream()
			.map((message) -> message.uid())
			.toList();
		this.one.claim(1);
		String lane = store.newLane();
		TestQueue.get(new LaneScript(store).open(this.queue.name, lane, TestQueue.LEASE, 2));
		TestQueue.get(new ResumeScript(store.runner())
			.run(this.queue.name, new ResumeScript.Request(lane, 3, TestQueue.LEASE, this.one.lane, true, true, List
				.of(new ResumeScript.Holding(uids.get(0), 1, true), new ResumeScript.Holding(uids.get(1), 2, false)))));
		assertThat(claim(lane, 4, Settlement.ack(uids.get(0), 1))).as("the second one is in hand").isEmpty();
		assertThat(claim(lane, 5, Settlement.ack(uids.get(1), 2))).containsExactly("a3");
	}

	private List<String> claim(String lane, long seq, Settlement settlement) {
		return payloads(TestQueue.get(store.claim()
			.run(this.queue.name, TestQueue.request(lane, seq, TestQueue.LEASE, 10, 1_000_000, true, Duration.ZERO,
					List.of(settlement)))));
	}

	@Test
	void aDelayedMessageJoinsWhenItIsDue() {
		this.sender.send(this.queue.message("late", Duration.ofMillis(50), TestQueue.ordered("a")), ordered("a1", "a"));
		ClaimReply first = this.one.claim(10);
		assertThat(payloads(first)).containsExactly("a1");
		Awaitility.await().until(() -> {
			this.two.claim(10);
			return TestQueue.get(admin.count().run(this.queue.name)).messages().scheduled() == 0;
		});
		assertThat(payloads(this.one.claim(10, ack(first, 0)))).containsExactly("late");
	}

	@Test
	void aDeadMessageLetsItsKeyGoOn() {
		this.sender.send(ordered("a1", "a"), ordered("a2", "a"));
		ClaimReply.Message held = this.one.claim(10).messages().get(0);
		assertThat(payloads(this.one.claim(10, Settlement.bury(held.uid(), held.claim(), "{}")))).containsExactly("a2");
	}

	@Test
	void aDeadMessageHoldsItsKeyByChoice() {
		MessageKeys holding = new MessageKeys("a", null, 1, null, null, true);
		this.sender.send(this.queue.message("a1", holding), this.queue.message("a2", holding));
		ClaimReply.Message held = this.one.claim(10).messages().get(0);
		assertThat(this.one.claim(10, Settlement.bury(held.uid(), held.claim(), "{}")).messages()).isEmpty();
		this.sender.send(this.queue.message("a3", holding));
		assertThat(this.one.claim(10).messages()).isEmpty();
		command(MessageCommand.Action.REDRIVE, held.uid(), "");
		ClaimReply again = this.one.claim(10);
		assertThat(payloads(again)).containsExactly("a1");
		again = this.one.claim(10, ack(again, 0));
		assertThat(payloads(again)).containsExactly("a2");
		assertThat(payloads(this.one.claim(10, ack(again, 0)))).containsExactly("a3");
	}

	@Test
	void aDeadMessageThatIsRemovedGivesUpItsKey() {
		MessageKeys holding = new MessageKeys("a", null, 1, null, null, true);
		this.sender.send(this.queue.message("a1", holding), this.queue.message("a2", holding));
		ClaimReply.Message held = this.one.claim(10).messages().get(0);
		this.one.claim(0, Settlement.bury(held.uid(), held.claim(), "{}"));
		String lane = TestQueue.get(admin.steer().openLane(this.queue.name));
		TestQueue.get(new TrimDeadScript(admin).run(this.queue.name, lane, 1, 0, Duration.ofDays(1), Long.MAX_VALUE));
		assertThat(payloads(this.one.claim(10))).containsExactly("a2");
	}

	@Test
	void aMessageWithTheTurnGivesItUpWhenItIsCancelledOrPostponed() {
		NewMessage first = ordered("a1", "a");
		NewMessage second = ordered("a2", "a");
		this.sender.send(first, second, ordered("a3", "a"));
		command(MessageCommand.Action.CANCEL, first.uid(), "");
		command(MessageCommand.Action.SCHEDULE, second.uid(), "+3600000");
		assertThat(payloads(this.one.claim(10))).containsExactly("a3");
	}

	@Test
	void whatIsRunNowComesNextOfItsKey() {
		NewMessage last = ordered("a3", "a");
		this.sender.send(ordered("a1", "a"), ordered("a2", "a"), last);
		command(MessageCommand.Action.RUN, last.uid(), "");
		ClaimReply first = this.one.claim(10);
		assertThat(payloads(first)).containsExactly("a1");
		assertThat(payloads(this.one.claim(10, ack(first, 0)))).containsExactly("a3");
	}

	@Test
	void aLineIsBrowsedCountedAndPurged() {
		this.sender.send(ordered("a1", "a"), ordered("a2", "a"), ordered("b1", "b"), fair("c1", "c"));
		assertThat(TestQueue.get(admin.count().run(this.queue.name)).messages().ready()).isEqualTo(4);
		assertThat(TestQueue.get(admin.messages().browse(this.queue.name, MessageState.READY, 0, 10)).messages())
			.extracting((message) -> new String(message.envelope(), StandardCharsets.UTF_8))
			.map((envelope) -> envelope.replaceAll(".*payload\":\"(.*)\"}", "$1"))
			.containsExactly("a1", "b1", "c1", "a2");
		String lane = TestQueue.get(admin.steer().openLane(this.queue.name));
		TestQueue.get(new PurgeScript(admin).run(this.queue.name, lane, 1, MessageState.READY, 1_000));
		assertThat(TestQueue.get(admin.count().run(this.queue.name)).messages().ready()).isZero();
		assertNothingIsLeft();
	}

	@Test
	void aLimitOfTheLengthDropsWhatWaitsInGroupsAndLines() {
		TestSender limited = new TestSender(store, this.queue.name, 10, new LengthLimit(2, true, null));
		for (String text : List.of("a1", "a2", "a3")) {
			TestQueue.get(limited.send(List.of(ordered(text, "a"))));
		}
		TestQueue.get(limited.send(List.of(fair("b1", "b"), fair("b2", "b"))));
		assertThat(payloads(this.one.claim(10))).containsExactly("b1", "b2");
	}

	@Test
	void aLimitOfTheLengthHoldsHoweverManyGroupsThereAre() {
		TestSender limited = new TestSender(store, this.queue.name, 1_000, new LengthLimit(600, true, null));
		for (int round = 0; round < 3; round++) {
			List<NewMessage> messages = new ArrayList<>();
			for (int i = 0; i < 500; i++) {
				messages.add(fair("m", "key " + round + "/" + i));
			}
			TestQueue.get(limited.send(messages));
		}
		assertThat(TestQueue.get(admin.count().run(this.queue.name)).messages().ready()).isEqualTo(600);
	}

	// Fairness ------------------------------------------------------------------------

	/**
	 * Of groups in the same place the one whose name is first goes first. So the key with
	 * one message at a time has the first name: if it joined at the front, it would have
	 * each turn.
	 */
	@Test
	void aKeyWithOneMessageAtATimeHasEverySecondTurnBesideAnother() {
		this.sender.send(IntStream.range(0, 30).mapToObj((i) -> fair("many", "b")).toList());
		this.sender.send(fair("one", "a"));
		List<String> claimed = new ArrayList<>();
		List<Settlement> settlements = List.of();
		for (int i = 0; i < 20; i++) {
			ClaimReply reply = this.one.claim(1, settlements);
			settlements = acks(reply);
			claimed.addAll(payloads(reply));
			if (payloads(reply).contains("one")) {
				this.sender.send(fair("one", "a"));
			}
		}
		assertThat(claimed).hasSize(20);
		assertThat(claimed.stream().filter("one"::equals)).as("of %s", claimed).hasSizeBetween(9, 11);
	}

	@Test
	void aLoudKeyTakesTurnsWithQuietOnes() {
		List<NewMessage> loud = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			loud.add(fair("loud", "loud"));
		}
		this.sender.send(loud);
		this.sender.send(fair("quiet 1", "q1"), fair("quiet 2", "q2"), this.queue.message("plain"));
		assertThat(payloads(this.one.claim(8))).contains("quiet 1", "quiet 2", "plain").hasSize(8);
		this.sender.send(fair("quiet 1", "q1"));
		assertThat(payloads(this.one.claim(1))).containsExactly("loud");
		assertThat(payloads(this.two.claim(1))).containsExactly("quiet 1");
		assertThat(payloads(this.two.claim(1_000))).hasSize(994).containsOnly("loud");
	}

	@Test
	void keysTakeTurnsByWeight() {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			messages.add(this.queue.message("a", TestQueue.fair("a", 1)));
			messages.add(this.queue.message("b", TestQueue.fair("b", 3)));
		}
		this.sender.send(messages);
		assertThat(payloads(this.one.claim(100)).stream().filter("a"::equals)).hasSize(25);
		List<String> singly = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			singly.addAll(payloads(this.two.claim(1)));
		}
		assertThat(singly.stream().filter("a"::equals)).hasSize(10);
	}

	@Test
	void eachKeyIsServedInEachRoundHoweverManyThereAre() {
		List<NewMessage> messages = new ArrayList<>();
		for (int round = 0; round < 3; round++) {
			for (int key = 0; key < 50; key++) {
				messages.add(fair(key + "/" + round, "key " + key));
			}
		}
		this.sender.send(messages);
		for (int round = 0; round < 3; round++) {
			List<String> claimed = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				claimed.addAll(payloads(this.one.claim(10)));
			}
			assertThat(claimed.stream().map((text) -> text.split("/")[0])).hasSize(50).doesNotHaveDuplicates();
		}
	}

	@Test
	void oneKeyOrdersAndIsServedFairly() {
		MessageKeys both = new MessageKeys("a", "a", 1, null, null, false);
		this.sender.send(this.queue.message("a1", both), this.queue.message("a2", both), fair("b1", "b"));
		ClaimReply first = this.one.claim(10);
		assertThat(payloads(first)).containsExactly("a1", "b1");
		assertThat(payloads(this.one.claim(10, ack(first, 0)))).containsExactly("a2");
	}

	@Test
	void aClaimByTurnsIsCappedByBytes() {
		String large = "x".repeat(200_000);
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			messages.add(fair(large, "a"));
			messages.add(this.queue.message(large));
		}
		this.sender.send(messages);
		TestQueue.Consumer capped = this.queue.consumer();
		assertThat(TestQueue.get(capped.claimAsync(100, 1_000_000)).messages()).hasSize(4);
		assertThat(TestQueue.get(capped.claimAsync(100, 1)).messages()).hasSize(1);
		assertThat(this.one.claim(100).messages()).hasSize(15);
	}

	@Test
	void aDrainedQueueKeepsNothingOfItsKeys() {
		this.sender.send(
				new NewMessage("x1", null, null, null, TestQueue.envelope("x"),
						new MessageKeys("o", "f", 5, 9, null, false), null),
				ordered("a1", "a"), ordered("a2", "a"), fair("c", "c"));
		ClaimReply last = this.one.claim(2);
		for (int i = 0; i < 2; i++) {
			last = this.one.claim(1, acks(last));
			assertThat(last.messages()).hasSize(1);
		}
		this.one.claim(0, acks(last));
		assertNothingIsLeft();
	}

	@Test
	void aThousandKeysAreClaimedSettledAndPurgedAtOnce() {
		for (int round = 0; round < 3; round++) {
			List<NewMessage> messages = new ArrayList<>();
			for (int i = 0; i < 1_000; i++) {
				String key = "é% -" + i;
				messages.add(this.queue.message("m" + i, (round == 2) ? Duration.ofMillis(1) : Duration.ZERO,
						new MessageKeys(key, key, 1 + i % 100, i % 10, null, true)));
			}
			this.sender.send(messages);
		}
		ClaimReply first = this.one.claim(1_000);
		assertThat(first.messages()).hasSize(1_000);
		List<Settlement> buried = first.messages()
			.stream()
			.map((message) -> Settlement.bury(message.uid(), message.claim(), "{}"))
			.toList();
		assertThat(this.one.claim(1_000, buried).messages()).isEmpty();
		String lane = TestQueue.get(admin.steer().openLane(this.queue.name));
		assertThat(
				TestQueue.get(new PurgeScript(admin).run(this.queue.name, lane, 1, MessageState.DEAD, 1_000)).removed())
			.isEqualTo(1_000);
		ClaimReply second = this.one.claim(1_000);
		assertThat(second.messages()).hasSize(1_000);
		List<Settlement> back = second.messages()
			.stream()
			.map((message) -> Settlement.giveBack(message.uid(), message.claim(), Duration.ZERO))
			.toList();
		ClaimReply again = this.two.claim(1_000);
		assertThat(again.messages()).isEmpty();
		again = this.one.claim(1_000, back);
		assertThat(again.messages()).hasSize(1_000);
		assertThat(this.one.claim(1_000, acks(again)).messages()).hasSize(1_000);
		this.two.claim(1_000);
		TestQueue.get(new PurgeScript(admin).run(this.queue.name, lane, 2, MessageState.READY, 1_000));
	}

	// Priorities ----------------------------------------------------------------------

	@Test
	void whatIsMoreUrgentGoesFirstAndElseWhatWasSentFirst() {
		this.sender.send(urgent("low 1", 0), this.queue.message("usual 1"), urgent("high 1", 9), urgent("low 2", 0),
				urgent("high 2", 9), this.queue.message("usual 2"), urgent("usual 3", 4));
		assertThat(payloads(this.one.claim(3))).containsExactly("high 1", "high 2", "usual 1");
		assertThat(payloads(this.one.claim(10))).containsExactly("usual 2", "usual 3", "low 1", "low 2");
	}

	@Test
	void aGivenBackMessageComesFirstOfItsPriority() {
		this.sender.send(urgent("1", 7), urgent("2", 7), urgent("3", 7), urgent("first", 8));
		ClaimReply reply = this.one.claim(3);
		assertThat(payloads(reply)).containsExactly("first", "1", "2");
		List<Settlement> back = reply.messages()
			.stream()
			.map((message) -> Settlement.giveBack(message.uid(), message.claim(), Duration.ZERO))
			.toList();
		assertThat(payloads(this.one.claim(10, back))).containsExactly("first", "1", "2", "3");
	}

	@Test
	void whatAgesIsWorthItsHeadStart() {
		Duration hour = Duration.ofHours(1);
		this.sender.send(aging("low", 0, hour));
		this.sender.send(aging("high", 9, hour), aging("higher by little", 1, Duration.ofMillis(1)));
		assertThat(payloads(this.one.claim(10))).startsWith("high").hasSize(3);
		this.sender.send(aging("low", 0, Duration.ofMillis(1)));
		Awaitility.await().until(() -> {
			this.sender.send(aging("high", 9, Duration.ofMillis(1)));
			ClaimReply reply = this.one.claim(1);
			return payloads(reply).equals(List.of("low"));
		});
	}

	@Test
	void theLongestAgeingOrdersAllPriorities() {
		Duration longest = MessageKeys.LONGEST_AGEING;
		this.sender.send(aging("1", 1, longest), aging("8", 8, longest), aging("9", 9, longest));
		assertThat(payloads(this.one.claim(10))).containsExactly("9", "8", "1");
		assertThatIllegalArgumentException().isThrownBy(() -> aging("more", 9, longest.plusMillis(1)))
			.withMessageContaining("'ageing' must be 1ms to 365d");
	}

	private NewMessage urgent(String text, int priority) {
		return this.queue.message(text, TestQueue.urgent(priority));
	}

	private NewMessage aging(String text, int priority, Duration ageing) {
		return this.queue.message(text, new MessageKeys(null, null, 1, priority, ageing, false));
	}

	private NewMessage ordered(String text, String key) {
		return this.queue.message(text, TestQueue.ordered(key));
	}

	private NewMessage fair(String text, String key) {
		return this.queue.message(text, TestQueue.fair(key, 1));
	}

	private void command(MessageCommand.Action action, String name, String argument) {
		TestQueue.get(admin.steer()
			.batcher(this.queue.name)
			.send(List.of(new MessageCommand(action, name, argument, "fresh-" + name))));
	}

	private void assertNothingIsLeft() {
		assertThat(StoreDump.of(client, this.queue.name).expiries().keySet()).doesNotContain("keys", "order", "waiting",
				"seats", "turns", "weights", "blocked", "busy", "meta");
	}

	private static Settlement ack(ClaimReply reply, int index) {
		return Settlement.ack(reply.messages().get(index).uid(), reply.messages().get(index).claim());
	}

	private static List<Settlement> acks(ClaimReply reply) {
		return reply.messages().stream().map((message) -> Settlement.ack(message.uid(), message.claim())).toList();
	}

	private static List<String> payloads(ClaimReply reply) {
		return reply.messages().stream().map((message) -> TestQueue.payload(message)).toList();
	}

}
