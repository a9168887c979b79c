package io.redelay.queue.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;

import io.redelay.queue.admin.engine.QueueChecks;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of claims that bring several messages of an ordering key, against a real Redis.
 */
class OrderingRowIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private TestQueue queue;

	private TestQueue.Sender sender;

	private TestQueue.Consumer one;

	private TestQueue.Consumer two;

	@BeforeEach
	void open() {
		this.queue = new TestQueue(
				TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE));
		this.sender = this.queue.sender();
		this.one = this.queue.consumer();
		this.two = this.queue.consumer();
	}

	@AfterEach
	void check() {
		assertThat(new QueueChecks(redis.client(), timer).check(this.queue.name).problems()).isEmpty();
	}

	@AfterAll
	static void stop() {
		timer.shutdownNow();
	}

	@Test
	void aClaimBringsSeveralOfAKeyAndNoOtherLaneHasAny() {
		send("a1", "a2", "a3", "a4", "b1");
		ClaimReply first = this.one.claimRows(10, 2, List.of());
		assertThat(payloads(first)).containsExactly("a1", "b1", "a2", "a3");
		assertThat(first.messages()).extracting(ClaimReply.Message::rowOf)
			.containsExactly(null, null, first.messages().get(0).uid(), first.messages().get(0).uid());
		assertThat(payloads(this.two.claimRows(10, 2, List.of()))).isEmpty();
		assertThat(payloads(this.one.claimRows(10, 2, List.of(ack(first, 0), ack(first, 2))))).isEmpty();
		assertThat(payloads(this.two.claimRows(10, 2, List.of()))).isEmpty();
		assertThat(payloads(this.one.claimRows(10, 2, List.of(ack(first, 3))))).containsExactly("a4");
	}

	@Test
	void otherMessagesComeBeforeTheSecondOfAKey() {
		send("a1", "a2", "a3", "b1", "c1");
		assertThat(payloads(this.one.claimRows(1, 5, List.of()))).containsExactly("a1", "a2", "a3");
		assertThat(payloads(this.two.claimRows(5, 5, List.of()))).containsExactly("b1", "c1");
	}

	@Test
	void aRepeatedRequestBringsTheSameRow() {
		send("a1", "a2", "a3");
		ClaimReply first = this.one.claimRows(10, 5, List.of());
		ClaimReply again = this.one.repeatRows(10, 5, List.of());
		assertThat(payloads(again)).containsExactly("a1", "a2", "a3");
		assertThat(again.messages()).extracting(ClaimReply.Message::rowOf)
			.containsExactlyElementsOf(first.messages().stream().map(ClaimReply.Message::rowOf).toList());
	}

	@Test
	void aFailureInARowIsFollowedByTheSameOnes() {
		send("a1", "a2", "a3", "a4", "a5");
		ClaimReply row = this.one.claimRows(10, 3, List.of());
		ClaimReply next = this.one.claimRows(10, 3, List.of(ack(row, 0), retry(row, 1), back(row, 2), back(row, 3)));
		assertThat(payloads(next)).containsExactly("a2", "a3", "a4", "a5");
		assertThat(next.messages()).extracting(ClaimReply.Message::failures).containsExactly(1, 0, 0, 0);
	}

	@Test
	void whatComesBackInSeveralRequestsKeepsItsOrder() {
		send("a1", "a2", "a3", "a4");
		ClaimReply row = this.one.claimRows(10, 3, List.of());
		this.one.claimRows(0, 0, List.of(back(row, 3), back(row, 2)));
		this.one.claimRows(0, 0, List.of(ack(row, 0)));
		assertThat(payloads(this.two.claimRows(10, 3, List.of()))).isEmpty();
		this.one.claimRows(0, 0, List.of(back(row, 1)));
		assertThat(payloads(this.two.claimRows(10, 3, List.of()))).containsExactly("a2", "a3", "a4");
	}

	@Test
	void aRowOfADeadLaneComesBackBehindItsFirstMessage() {
		TestQueue.Consumer dying = this.queue.consumer(Duration.ofMillis(50));
		send("a1", "a2", "a3", "a4");
		assertThat(payloads(dying.claimRows(10, 2, List.of()))).containsExactly("a1", "a2", "a3");
		ClaimReply first = Awaitility.await()
			.until(() -> this.one.claimRows(10, 5, List.of()), (claimed) -> !claimed.messages().isEmpty());
		assertThat(payloads(first)).containsExactly("a1");
		assertThat(first.messages().get(0).suspect()).isTrue();
		ClaimReply rest = this.one.claimRows(10, 5, List.of(ack(first, 0)));
		assertThat(payloads(rest)).containsExactly("a2", "a3", "a4");
		assertThat(rest.messages()).noneMatch(ClaimReply.Message::suspect)
			.allMatch((message) -> message.crashes() == 0 && message.failures() == 0);
	}

	/**
	 * More than one call of a script takes as arguments.
	 */
	@Test
	void allRowsOfADeadLaneComeBack() {
		int keys = 85;
		int length = 101;
		List<NewMessage> messages = new ArrayList<>();
		for (int key = 0; key < keys; key++) {
			for (int i = 0; i < length; i++) {
				messages.add(this.queue.message(key + "/" + i, TestQueue.ordered("k" + key)));
			}
		}
		for (int from = 0; from < messages.size(); from += 500) {
			this.sender.send(messages.subList(from, Math.min(from + 500, messages.size())));
		}
		TestQueue.Consumer dying = this.queue.consumer();
		int held = 0;
		for (int claim = 0; claim <= keys / 2; claim++) {
			held += dying.claimRows(2, 100, List.of()).messages().size();
		}
		assertThat(held).isEqualTo(keys * length);
		redis.client().getScoredSortedSet(this.queue.key("lanes")).add(0, dying.lane);
		for (int i = 0; i < 50 && redis.client().getMap(this.queue.key("held"), StringCodec.INSTANCE).size() > 2; i++) {
			this.one.claimRows(0, 0, List.of());
		}
		assertThat(redis.client().getMap(this.queue.key("held"), StringCodec.INSTANCE).size()).as("two lanes")
			.isEqualTo(2);
		assertThat(redis.client().getList(this.queue.key("suspects"), StringCodec.INSTANCE).size()).isEqualTo(keys);
		Map<String, Integer> ended = new HashMap<>();
		List<Settlement> acks = new ArrayList<>();
		do {
			ClaimReply claimed = this.one.claimRows(1000, 100, acks);
			acks.clear();
			for (ClaimReply.Message message : claimed.messages()) {
				String[] payload = TestQueue.payload(message).split("/");
				assertThat(ended.merge(payload[0], 1, Integer::sum) - 1).isEqualTo(Integer.parseInt(payload[1]));
				acks.add(Settlement.ack(message.uid(), message.claim()));
			}
		}
		while (!acks.isEmpty());
		assertThat(ended).hasSize(keys).allSatisfy((key, count) -> assertThat(count).isEqualTo(length));
	}

	@Test
	void aSeatWhoseMessageIsGoneGetsIntoNoRow() {
		List<NewMessage> sent = send("a1", "a2", "a3", "a4");
		remove("messages", sent.get(1).uid());
		remove("keys", sent.get(1).uid());
		ClaimReply row = this.one.claimRows(10, 2, List.of());
		assertThat(payloads(row)).containsExactly("a1", "a3");
		ClaimReply last = this.one.claimRows(10, 2, List.of(ack(row, 0), ack(row, 1)));
		assertThat(payloads(last)).containsExactly("a4");
	}

	/**
	 * Redis goes back to when one of the row was a suspect.
	 */
	@Test
	void aMessageThatJoinsItsRowAgainIsInItOnce() {
		List<NewMessage> sent = send("a1", "a2", "a3");
		this.one.claimRows(10, 2, List.of());
		remove("held", sent.get(2).uid());
		redis.client()
			.getMap(this.queue.key("held"), StringCodec.INSTANCE)
			.computeIfPresent("@" + this.one.lane, (lane, entry) -> entry.toString().replaceFirst("[|]3[|]", "|2|"));
		redis.client().getList(this.queue.key("suspects"), StringCodec.INSTANCE).add(sent.get(2).uid());
		String lane = this.queue.store.newLane();
		TestQueue.get(new LaneScript(this.queue.store).open(this.queue.name, lane, TestQueue.LEASE, 1));
		TestQueue.get(new ResumeScript(this.queue.store.runner())
			.run(this.queue.name, new ResumeScript.Request(lane, 2, TestQueue.LEASE, this.one.lane, true, true, List
				.of(holding(sent, 2, false, true), holding(sent, 1, false, false), holding(sent, 0, false, false)))));
		assertThat(redis.client().getMap(this.queue.key("order"), StringCodec.INSTANCE).values())
			.containsExactly(sent.get(0).uid() + " " + sent.get(1).uid() + " " + sent.get(2).uid());
		assertThat(claim(lane, 3, List.of(back(sent, 2), Settlement.ack(sent.get(0).uid(), 1)))).isEmpty();
		assertThat(claim(lane, 4, List.of(Settlement.ack(sent.get(1).uid(), 1)))).containsExactly("a3");
	}

	private void remove(String key, String uid) {
		redis.client().getMap(this.queue.key(key), StringCodec.INSTANCE).fastRemove(uid);
	}

	/**
	 * Redis goes back to when the lane held the first message only: of the others one is
	 * in hand, and those behind it go back.
	 */
	@Test
	void afterARollBackTheOneInHandHasTheTurnBeforeThoseThatComeBack() {
		List<NewMessage> sent = send("a1", "a2", "a3", "a4");
		this.one.claim(1);
		String lane = this.queue.store.newLane();
		TestQueue.get(new LaneScript(this.queue.store).open(this.queue.name, lane, TestQueue.LEASE, 2));
		TestQueue.get(new ResumeScript(this.queue.store.runner()).run(this.queue.name,
				new ResumeScript.Request(lane, 3, TestQueue.LEASE, this.one.lane, true, true,
						List.of(holding(sent, 0, true, false), holding(sent, 3, false, true),
								holding(sent, 2, false, true), holding(sent, 1, false, false)))));
		assertThat(claim(lane, 4, List.of(back(sent, 3), back(sent, 2), Settlement.ack(sent.get(0).uid(), 1))))
			.isEmpty();
		assertThat(claim(lane, 5, List.of(Settlement.ack(sent.get(1).uid(), 1)))).containsExactly("a3", "a4");
	}

	private static ResumeScript.Holding holding(List<NewMessage> sent, int index, boolean done, boolean comesBack) {
		return new ResumeScript.Holding(sent.get(index).uid(), 1, done, false, comesBack);
	}

	private static Settlement back(List<NewMessage> sent, int index) {
		return Settlement.giveBack(sent.get(index).uid(), 1, Duration.ZERO);
	}

	private List<String> claim(String lane, long seq, List<Settlement> settlements) {
		return payloads(TestQueue.get(this.queue.store.claim()
			.run(this.queue.name, new ClaimRequest(new ClaimRequest.Terms(lane, TestQueue.LEASE, ClaimLimits.NONE, 5),
					seq, 10, 1_000_000, true, Duration.ZERO, settlements, null))));
	}

	/**
	 * Listeners that settle what they have in its order, fail now and then and die: of
	 * each key one message after the other ends.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6 })
	void theOrderOfEachKeyIsKept(long seed) {
		Random random = new Random(seed);
		List<String> sent = new ArrayList<>();
		Map<String, Integer> ended = new HashMap<>();
		List<Listener> listeners = new ArrayList<>();
		Map<Character, Integer> last = new HashMap<>();
		for (int step = 0; step < 250; step++) {
			if (step < 150 && random.nextInt(3) == 0) {
				int count = 1 + random.nextInt(6);
				List<NewMessage> messages = new ArrayList<>();
				for (int i = 0; i < count; i++) {
					char key = (char) ('a' + random.nextInt(3));
					String payload = key + String.valueOf(last.merge(key, 1, Integer::sum));
					messages.add(this.queue.message(payload, TestQueue.ordered(String.valueOf(key))));
					sent.add(payload);
				}
				this.sender.send(messages);
			}
			if (listeners.size() < 3) {
				listeners.add(new Listener(this.queue.consumer(), random, ended));
			}
			Listener listener = listeners.get(random.nextInt(listeners.size()));
			listener.step();
			if (random.nextInt(40) == 0) {
				redis.client().getScoredSortedSet(this.queue.key("lanes")).add(0, listener.consumer.lane);
				listeners.remove(listener);
			}
		}
		listeners.forEach(Listener::giveBack);
		Listener end = new Listener(this.queue.consumer(), new Random(seed) {
			@Override
			public int nextInt(int bound) {
				return bound - 1;
			}
		}, ended);
		Awaitility.await().until(() -> {
			end.step();
			return ended.values().stream().mapToInt(Integer::intValue).sum() == sent.size();
		});
		end.giveBack();
	}

	private List<NewMessage> send(String... payloads) {
		List<NewMessage> messages = IntStream.range(0, payloads.length)
			.mapToObj((i) -> this.queue.message(payloads[i], TestQueue.ordered(payloads[i].substring(0, 1))))
			.toList();
		this.sender.send(messages);
		return messages;
	}

	private static Settlement ack(ClaimReply reply, int index) {
		return Settlement.ack(reply.messages().get(index).uid(), reply.messages().get(index).claim());
	}

	private static Settlement back(ClaimReply reply, int index) {
		return Settlement.giveBack(reply.messages().get(index).uid(), reply.messages().get(index).claim(),
				Duration.ZERO);
	}

	private static Settlement retry(ClaimReply reply, int index) {
		return Settlement.retry(reply.messages().get(index).uid(), reply.messages().get(index).claim(), Duration.ZERO,
				"");
	}

	private static List<String> payloads(ClaimReply reply) {
		return reply.messages().stream().map((message) -> TestQueue.payload(message)).toList();
	}

	/**
	 * Handles the messages of a key one after the other.
	 */
	private static final class Listener {

		private final TestQueue.Consumer consumer;

		private final Random random;

		private final Map<String, Integer> ended;

		private final Map<String, List<ClaimReply.Message>> rows = new HashMap<>();

		Listener(TestQueue.Consumer consumer, Random random, Map<String, Integer> ended) {
			this.consumer = consumer;
			this.random = random;
			this.ended = ended;
		}

		void step() {
			List<Settlement> settlements = new ArrayList<>();
			this.rows.forEach((key, row) -> settle(key, row, settlements));
			int wanted = this.random.nextInt(6);
			int behind = this.random.nextInt(5);
			ClaimReply reply = this.consumer.claimRows(wanted, behind, settlements);
			if (this.random.nextInt(4) == 0) {
				reply = this.consumer.repeatRows(wanted, behind, settlements);
			}
			assertThat(reply.refused()).isEmpty();
			for (ClaimReply.Message message : reply.messages()) {
				String payload = TestQueue.payload(message);
				List<ClaimReply.Message> row = this.rows.computeIfAbsent(payload.substring(0, 1),
						(key) -> new ArrayList<>());
				assertThat(message.rowOf() != null).isEqualTo(!row.isEmpty());
				assertThat(Integer.parseInt(payload.substring(1)))
					.isEqualTo(this.ended.getOrDefault(payload.substring(0, 1), 0) + row.size() + 1);
				row.add(message);
			}
		}

		private void settle(String key, List<ClaimReply.Message> row, List<Settlement> settlements) {
			int done = this.random.nextInt(row.size() + 1);
			for (ClaimReply.Message message : row.subList(0, done)) {
				settlements.add(Settlement.ack(message.uid(), message.claim()));
				this.ended.merge(key, 1, Integer::sum);
			}
			row.subList(0, done).clear();
			if (!row.isEmpty() && this.random.nextInt(3) == 0) {
				ClaimReply.Message failed = row.remove(0);
				switch (this.random.nextInt(4)) {
					case 0 -> settlements.add(Settlement.retry(failed.uid(), failed.claim(), Duration.ZERO, ""));
					case 1 -> settlements.add(Settlement.retry(failed.uid(), failed.claim(), Duration.ofMillis(2), ""));
					case 2 -> settlements.add(Settlement.giveBack(failed.uid(), failed.claim(), Duration.ZERO));
					default -> {
						settlements.add(Settlement.bury(failed.uid(), failed.claim(), "{}"));
						this.ended.merge(key, 1, Integer::sum);
					}
				}
				row.forEach((message) -> settlements
					.add(Settlement.giveBack(message.uid(), message.claim(), Duration.ZERO)));
				row.clear();
			}
		}

		void giveBack() {
			List<Settlement> settlements = new ArrayList<>();
			this.rows.values()
				.forEach((row) -> row.forEach((message) -> settlements
					.add(Settlement.giveBack(message.uid(), message.claim(), Duration.ZERO))));
			this.consumer.claimRows(0, 0, settlements);
			this.rows.clear();
		}

	}

}
