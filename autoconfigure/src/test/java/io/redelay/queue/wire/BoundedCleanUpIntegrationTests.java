package io.redelay.queue.wire;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.engine.instance.InstanceKeys;
import io.redelay.queue.idempotency.RunOnceScript;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.OutboxScript;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.TestSender;
import io.redelay.queue.script.TopicScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.BundleCommand;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.script.admin.JobsKey;
import io.redelay.queue.script.admin.PurgeScript;
import io.redelay.queue.script.admin.TidyScript;
import io.redelay.queue.script.admin.TrimDeadScript;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.stream.StreamAddArgs;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each bounded clean-up of the scripts, with more to remove than its bound,
 * removes at least as much as its request can add, and that nothing is left after enough
 * requests. The bounds are in the table of {@code protocol.adoc}.
 */
class BoundedCleanUpIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final int PAGE = 1_000;

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration HOUR = Duration.ofHours(1);

	private final String name = TestRedis.queue();

	private final StoreWorkbench bench = new StoreWorkbench(redis.client(), this.name, timer);

	private final AdminScripts admin = admin("redelay",
			LuaScripts.load(Map.of("stamp", StoreWorkbench.clock(), "wake", StoreWorkbench.wake())));

	private final TestQueue queue = new TestQueue(this.name, this.bench.store);

	private final CommandBatcher commands = this.admin.steer().batcher(this.name);

	private long now = System.currentTimeMillis() + HOUR.toMillis();

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@BeforeEach
	void setClock() {
		pass(Duration.ZERO);
	}

	@Test
	void deduplicationKeysWhoseWindowIsOver() {
		TestQueue.Sender sender = this.queue.sender();
		IntFunction<List<NewMessage>> firsts = (count) -> messages(count, null,
				(i) -> Deduplication.firstWins(new Uids().next() + i, SECOND));
		sender.send(firsts.apply(PAGE));
		sender.send(firsts.apply(PAGE));
		pass(Duration.ofSeconds(2));
		cleansUp(100, () -> over("dedup:expiries"), () -> sender.send(firsts.apply(100)));
		assertThat(hash("dedup")).isLessThanOrEqualTo(2 * sorted("dedup:expiries") + 2 * PAGE);
	}

	@Test
	void uidsThatWereHandedOver() {
		Runnable send = () -> handOver(PAGE);
		send.run();
		send.run();
		send.run();
		pass(Duration.ofSeconds(2));
		cleansUp(100, () -> over("handed"), () -> handOver(50));
	}

	@ParameterizedTest
	@ValueSource(strings = { "1/1s", "1/1s bursting" })
	void ratesOfKeysThatAreOver(String rate) {
		TestQueue.Consumer consumer = this.queue.consumer(keyRate(rate));
		keepKeyed();
		List<Settlement> settlements = List.of();
		for (int round = 0; round < 3; round++) {
			sendFair(PAGE, round * PAGE, 1);
			settlements = acks(consumer.claim(PAGE, settlements));
			assertThat(settlements).hasSize(PAGE);
		}
		consumer.claim(0, settlements);
		pass(Duration.ofMinutes(1));
		int[] next = { 3 * PAGE };
		cleansUp(10, () -> over("rates"), () -> {
			sendFair(10, next[0], 1);
			next[0] += 10;
			consumer.claim(0, acks(consumer.claim(10)));
		});
		assertThat(hash("bursts")).isLessThanOrEqualTo(sorted("rates"));
	}

	@Test
	void gatesThatAreOver() {
		IntFunction<MessageCommand> gate = (i) -> MessageCommand.gate("key-" + i, SECOND);
		command(IntStream.range(0, 500).mapToObj(gate).toList());
		pass(Duration.ofSeconds(2));
		cleansUp(10, () -> over("gates"), () -> command(List.of(gate.apply(1_000))));
	}

	@Test
	void groupsWhoseTimeOfWaitingIsOver() {
		TestQueue.Consumer consumer = this.queue.consumer(keyRate("1/1s"));
		sendFair(PAGE, 0, 3);
		consumer.claim(0, acks(consumer.claim(PAGE)));
		assertThat(consumer.claim(PAGE).messages()).isEmpty();
		assertThat(sorted("blocked")).isEqualTo(PAGE);
		pass(Duration.ofMinutes(1));
		int[] claimed = { 0 };
		cleansUp(10, () -> over("blocked"), () -> claimed[0] += consumer.claim(10).messages().size());
		assertThat(claimed[0]).isGreaterThanOrEqualTo(PAGE / 11 / 10);
		for (int i = 0; i < PAGE && claimed[0] < PAGE; i++) {
			claimed[0] += consumer.claim(100).messages().size();
		}
		assertThat(claimed[0]).as("each key had its turn").isEqualTo(PAGE);
	}

	@Test
	void groupsThatAreBlockedAsTheClockWentBack() {
		TestQueue.Consumer consumer = this.queue.consumer(keyRate("1/1s"));
		keepKeyed();
		sendFair(500, 0, 2);
		pass(HOUR);
		assertThat(consumer.claim(PAGE).messages()).hasSize(500);
		assertThat(consumer.claim(PAGE).messages()).isEmpty();
		assertThat(sorted("blocked")).isEqualTo(500);
		pass(HOUR.negated());
		long limit = this.now + Duration.ofMinutes(1).toMillis();
		cleansUp(100, () -> set("blocked").count(limit, true, Double.POSITIVE_INFINITY, false),
				() -> consumer.claim(1));
	}

	@Test
	void groupsThatWaitForARelease() {
		TestQueue.Consumer consumer = this.queue.consumer(new ClaimLimits(null, null, null, 1, null));
		sendFair(350, 0, 2);
		ClaimReply first = consumer.claim(PAGE);
		assertThat(first.messages()).hasSize(350);
		assertThat(consumer.claim(PAGE).messages()).isEmpty();
		assertThat(sorted("blocked")).isEqualTo(350);
		consumer.claim(0, acks(first));
		assertThat(sorted("blocked")).isZero();
	}

	@Test
	void groupsThatALimitOfAllInstancesBlocked() {
		command(List.of(MessageCommand.limits("test", "km=1")));
		TestQueue.Consumer consumer = this.queue.consumer(new ClaimLimits(null, null, null, 1_000, null));
		sendFair(500, 0, 2);
		sendFair(500, 500, 2);
		sendFair(200, 1_000, 2);
		List<Settlement> held = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			held.addAll(acks(consumer.claim(PAGE)));
		}
		assertThat(held).hasSize(1_200);
		consumer.claim(PAGE);
		consumer.claim(PAGE);
		assertThat(sorted("blocked")).isEqualTo(1_200);
		command(List.of(MessageCommand.limits("test", "km=-")));
		assertThat(sorted("blocked")).as("a thousand groups at once").isEqualTo(200);
		consumer.claim(0, held.subList(0, 600));
		consumer.claim(0, held.subList(600, 1_200));
		assertThat(sorted("blocked")).as("the others when one of theirs is released").isZero();
	}

	@Test
	void deadLanesThatHoldNothing() {
		for (int i = 0; i < 350; i++) {
			this.queue.consumer(SECOND);
		}
		pass(Duration.ofMinutes(1));
		TestQueue.Consumer consumer = this.queue.consumer();
		cleansUp(100, () -> over("lanes"), () -> consumer.claim(0));
		assertThat(hash("held")).isEqualTo(1);
	}

	@Test
	void messagesThatADeadLaneHolds() {
		TestQueue.Consumer dead = this.queue.consumer(SECOND);
		for (int i = 0; i < 3; i++) {
			this.queue.sender().send(this.queue.messages(PAGE));
			assertThat(dead.claim(PAGE).messages()).hasSize(PAGE);
		}
		pass(Duration.ofMinutes(1));
		TestQueue.Consumer consumer = this.queue.consumer();
		cleansUp(100, () -> hash("held") - 2 + over("lanes"), () -> consumer.claim(0));
		assertThat(list("suspects")).isEqualTo(3 * PAGE);
		assertThat(hash("held")).as("the lane that is not dead").isEqualTo(1);
	}

	@Test
	void messagesThatAreDue() {
		for (int i = 0; i < 3; i++) {
			this.queue.sender()
				.send(IntStream.range(0, PAGE).mapToObj((n) -> this.queue.message("m", SECOND)).toList());
		}
		pass(Duration.ofMinutes(1));
		TestQueue.Consumer consumer = this.queue.consumer();
		int[] claimed = { 0 };
		cleansUp(100, () -> over("scheduled"), () -> claimed[0] += consumer.claim(50).messages().size());
		claimed[0] += consumer.claim(PAGE).messages().size() + consumer.claim(PAGE).messages().size();
		assertThat(claimed[0]).isGreaterThan(2 * PAGE);
		for (int size = 1; size > 0; claimed[0] += size) {
			size = consumer.claim(PAGE).messages().size();
		}
		assertThat(claimed[0]).isEqualTo(3 * PAGE);
	}

	@Test
	void dueMessagesOfALargeClaim() {
		for (int i = 0; i < 3; i++) {
			this.queue.sender()
				.send(IntStream.range(0, PAGE).mapToObj((n) -> this.queue.message("m", SECOND)).toList());
		}
		pass(Duration.ofMinutes(1));
		cleansUp(PAGE, () -> over("scheduled"), () -> this.queue.consumer().claim(PAGE));
	}

	@Test
	void readyEntriesWhoseMessageIsGone() {
		this.queue.sender().send(this.queue.message("later", HOUR));
		sendAndCancel(3 * PAGE, 3 * PAGE);
		TestQueue.Consumer consumer = this.queue.consumer();
		cleansUp(500, () -> list("ready"), () -> consumer.claim(50));
	}

	@Test
	void suspectsWhoseMessageIsGone() {
		this.queue.sender().send(this.queue.message("later", HOUR));
		makeSuspectsAndCancel(PAGE, PAGE);
		TestQueue.Consumer consumer = this.queue.consumer();
		cleansUp(20, () -> list("suspects"), () -> consumer.claim(1));
	}

	@Test
	void entriesOfListsThatAreTidied() {
		sendAndCancel(2 * PAGE + 500, 2 * PAGE);
		tidy();
		assertThat(list("ready")).isEqualTo(500);
	}

	@Test
	void suspectsThatAreTidied() {
		makeSuspectsAndCancel(2 * PAGE + 500, 1_700);
		tidy();
		assertThat(list("suspects")).isEqualTo(800);
	}

	@Test
	void completedMessagesBeyondTheirBounds() {
		TestQueue.Consumer consumer = this.queue.consumer();
		for (int i = 0; i < 3; i++) {
			this.queue.sender().send(this.queue.messages(PAGE));
			consumer.claim(0, completed(consumer.claim(PAGE), 10 * PAGE));
		}
		assertThat(sorted("completed")).isEqualTo(3 * PAGE);
		this.queue.sender().send(this.queue.messages(50));
		cleansUp(PAGE - 10, () -> sorted("completed") - 5, () -> consumer.claim(0, completed(consumer.claim(10), 5)));
		assertThat(hash("completed:messages")).as("five, and how large they are").isEqualTo(6);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ready", "scheduled", "fair", "ordered", "suspects" })
	void messagesBeyondTheLengthOfAQueue(String where) {
		fill(where);
		TestSender limited = new TestSender(this.bench.store, this.name, PAGE, new LengthLimit(20, true, null));
		cleansUp(PAGE - 50, () -> hash("messages") - 20, () -> TestQueue.get(limited.send(this.queue.messages(20))));
	}

	@Test
	void whatIsPublishedBeyondTheBoundsOfALog() {
		TopicScripts topics = admin("redelay", LuaScripts.load()).topics();
		TestQueue.get(topics.subscribe().run(this.name, "group", HOUR, DeclaredFilter.NONE));
		TestQueue.get(topics.topic().keep(this.name, new TopicRetention(Duration.ZERO, 10 * PAGE, 0)));
		Publisher publisher = new Publisher(topics);
		for (int i = 0; i < 3; i++) {
			publisher.publish(PAGE);
		}
		TestQueue.get(topics.topic().keep(this.name, new TopicRetention(Duration.ZERO, 50, 0)));
		cleansUp(PAGE / 10,
				() -> (int) redis.client().getStream("redelay:{" + this.name + "}@:log", StringCodec.INSTANCE).size()
						- 50,
				() -> publisher.publish(20));
	}

	@Test
	void keysThatWereDone() {
		runs("first", 0, SECOND, steps(RunOnceScript.Step.Action.BEGIN, 0, 200));
		for (int i = 0; i < 5; i++) {
			runs("owner", i, HOUR, steps(RunOnceScript.Step.Action.DONE, i * 200, 200));
		}
		pass(Duration.ofMinutes(1));
		int[] next = { 5 };
		cleansUp(10, () -> over("idempotent"), () -> {
			runs("owner", next[0], HOUR, steps(RunOnceScript.Step.Action.DONE, 200 * next[0], 10));
			next[0]++;
		});
	}

	@Test
	void runsOfADeadOwner() {
		for (int i = 0; i < 10; i++) {
			runs("dead", i, SECOND, steps(RunOnceScript.Step.Action.BEGIN, i * 200, 200));
		}
		pass(Duration.ofMinutes(1));
		int[] next = { 0 };
		cleansUp(30, () -> hash("idempotent:running") - 3, () -> runs("living", next[0]++, HOUR, List.of()));
		assertThat(sorted("idempotent:owners")).isEqualTo(1);
	}

	@Test
	void ownersThatDieWhileManyRunsLive() {
		for (int i = 0; i < 20; i++) {
			runs("living", i, HOUR, steps(RunOnceScript.Step.Action.BEGIN, i * 200, 200));
		}
		int runs = hash("idempotent:running");
		for (int i = 0; i < 350; i++) {
			runs("dying-" + i, 0, SECOND, steps(RunOnceScript.Step.Action.BEGIN, 100_000 + i, 1));
		}
		pass(Duration.ofMinutes(1));
		int[] next = { 20 };
		cleansUp(3, () -> over("idempotent:owners"), () -> runs("living", next[0]++, HOUR, List.of()));
		assertThat(hash("idempotent:running")).isEqualTo(runs);
		assertThat(sorted("idempotent:owners")).isEqualTo(1);
	}

	@Test
	void anOwnerThatEndsDuringAClearing() {
		for (int i = 0; i < 10; i++) {
			runs("living", i, HOUR, steps(RunOnceScript.Step.Action.BEGIN, i * 200, 200));
			runs("ending", i, HOUR, steps(RunOnceScript.Step.Action.BEGIN, 10_000 + i * 200, 200));
		}
		runs("dead", 0, SECOND, steps(RunOnceScript.Step.Action.BEGIN, 100_000, 1));
		pass(Duration.ofSeconds(2));
		for (int i = 10; i < 20; i++) {
			runs("living", i, HOUR, List.of());
			pass(SECOND);
		}
		runs("ending", 10, Duration.ZERO, List.of());
		for (int i = 20; i < 120; i++) {
			runs("living", i, HOUR, List.of());
			pass(SECOND);
		}
		assertThat(hash("idempotent:running")).as("living runs, and their owner").isEqualTo(2_001);
	}

	@Test
	void instancesThatEndedLongAgo() {
		String prefix = TestRedis.queue();
		AdminScripts before = admin(prefix, at(this.now));
		for (int i = 0; i < 350; i++) {
			TestQueue.get(new InstanceKeys(before.runner()).announce("instance-" + i, "{}", Duration.ofDays(1),
					new InstanceKeys.Identity("host", "shop", "1." + i)));
		}
		AdminScripts later = admin(prefix, at(this.now + Duration.ofDays(2).toMillis()));
		RScoredSortedSet<String> instances = redis.client()
			.getScoredSortedSet(prefix + ":{:instances}", StringCodec.INSTANCE);
		cleansUp(100, () -> instances.count(0, true, this.now + Duration.ofDays(2).toMillis(), true),
				() -> TestQueue.get(new InstanceKeys(later.runner()).announce("another", "{}", Duration.ofDays(1),
						new InstanceKeys.Identity("host", "shop", "2"))));
		assertThat(redis.client().getList(prefix + ":{:instances}:marks").size()).isEqualTo(200);
		redis.client().getKeys().deleteByPattern(prefix + "*");
	}

	@Test
	void jobsThatEnded() {
		String prefix = TestRedis.queue();
		AdminScripts before = admin(prefix, at(this.now));
		for (int i = 0; i < 130; i++) {
			endJob(before, "job-" + i);
		}
		assertThat(TestQueue.get(new JobsKey(before.runner()).list())).hasSize(100);
		AdminScripts later = admin(prefix, at(this.now + Duration.ofDays(2).toMillis()));
		endJob(later, "last");
		assertThat(TestQueue.get(new JobsKey(before.runner()).list())).as("as at a time when none was too old")
			.extracting(JobsKey.Job::id)
			.containsExactly("last");
		redis.client().getKeys().deleteByPattern(prefix + "*");
	}

	@Test
	void instancesThatRelayedAnOutbox() {
		this.queue.sender();
		redis.client().getStream(this.queue.key("outbox"), StringCodec.INSTANCE).add(StreamAddArgs.entry("x", "note"));
		for (int i = 0; i < 50; i++) {
			TestQueue.get(new OutboxScript(this.bench.store.runner()).run(this.name,
					new OutboxScript.Request("instance-" + i, 1, Duration.ofMillis(1), null, null, 1, List.of())));
		}
		String relayed = redis.client()
			.<String, String>getMap(this.queue.key("meta"), StringCodec.INSTANCE)
			.get("relayed");
		assertThat(relayed.split(" ")).hasSize(2 * 20).startsWith("instance-49", "1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ready", "scheduled", "fair", "ordered", "suspects", "dead", "completed" })
	void messagesThatArePurged(String where) {
		fill(where);
		String lane = TestQueue.get(this.admin.steer().openLane(this.name));
		MessageState state = switch (where) {
			case "scheduled" -> MessageState.SCHEDULED;
			case "dead" -> MessageState.DEAD;
			case "completed" -> MessageState.COMPLETED;
			default -> MessageState.READY;
		};
		String key = switch (where) {
			case "dead", "completed" -> where + ":messages";
			default -> "messages";
		};
		int[] seq = { 0 };
		cleansUp(PAGE, () -> hash(key),
				() -> TestQueue.get(new PurgeScript(this.admin).run(this.name, lane, ++seq[0], state, PAGE)));
		assertThat(Stream.of("ready", "suspects").mapToInt(this::list).sum() + sorted("waiting")).isZero();
	}

	@Test
	void deadMessagesBeyondTheirBounds() {
		fill("dead");
		String lane = TestQueue.get(this.admin.steer().openLane(this.name));
		int[] seq = { 0 };
		cleansUp(500, () -> sorted("dead") - 10, () -> TestQueue
			.get(new TrimDeadScript(this.admin).run(this.name, lane, ++seq[0], 10, HOUR, Long.MAX_VALUE)));
	}

	@Test
	void deadMessagesBehindThoseThatAreBeingForwarded() {
		fill("dead");
		List<String> oldest = List.copyOf(set("dead").valueRange(0, 599));
		command(oldest.stream()
			.map((uid) -> new MessageCommand(MessageCommand.Action.FORWARD, uid, "elsewhere", "-"))
			.toList());
		String lane = TestQueue.get(this.admin.steer().openLane(this.name));
		int[] seq = { 0 };
		cleansUp(400, () -> sorted("dead") - 610, () -> TestQueue
			.get(new TrimDeadScript(this.admin).run(this.name, lane, ++seq[0], 10, HOUR, Long.MAX_VALUE)));
	}

	@Test
	void messagesWhoseTimeToLiveIsOver() {
		TestQueue.Sender sender = this.queue.sender();
		for (int i = 0; i < 3; i++) {
			sender.send(IntStream.range(0, PAGE)
				.mapToObj((n) -> new NewMessage(new Uids().next() + n, null, null, null, ttl()))
				.toList());
		}
		TestQueue.Consumer consumer = this.queue.consumer();
		for (int i = 0; i < 3; i++) {
			consumer.claim(0, acks(consumer.claim(PAGE)));
		}
		assertThat(sorted("expiries")).isZero();
		sender.send(IntStream.range(0, PAGE)
			.mapToObj((n) -> new NewMessage(new Uids().next() + n, null, null, null, ttl()))
			.toList());
		assertThat(consumer.claim(PAGE).messages()).hasSize(PAGE);
		pass(Duration.ofMinutes(1));
		consumer.claim(0);
		cleansUp(500, () -> over("expiries"), () -> TestQueue.get(this.admin.messages().expired(this.name)));
	}

	@Test
	void sleepersThatHearNothing() {
		List<TestQueue.Consumer> consumers = Stream.generate(this.queue::consumer).limit(50).toList();
		for (TestQueue.Consumer consumer : consumers) {
			consumer.claimOrSleep(HOUR);
			this.bench.deafen(consumer.lane);
		}
		TestQueue.Sender sender = this.queue.sender();
		cleansUp(3, () -> sorted("sleepers"), () -> sender.send(this.queue.message("m")));
	}

	@Test
	void resultsOfABundle() {
		String lane = TestQueue.get(this.admin.bundles().bundle().open(this.name));
		List<BundleCommand.NewMember> members = messages(2 * PAGE + 500, null, (i) -> null).stream()
			.map((message) -> BundleCommand.NewMember.of("elsewhere", message))
			.toList();
		List<List<BundleCommand>> requests = new ArrayList<>();
		requests.add(List.of(BundleCommand.open("b", HOUR, "callback", new EnvelopeCodec().writeBeginning(Map.of()),
				new BundleCommand.Wants(false, 100, 1_000_000, null))));
		for (int from = 0; from < members.size(); from += 500) {
			requests.add(List.of(BundleCommand.add("b", members.subList(from, from + 500))));
		}
		requests.add(List.of(BundleCommand.close("b")));
		for (int from = 0; from < members.size(); from += 500) {
			requests.add(List.of(BundleCommand.end("b",
					members.subList(from, from + 500)
						.stream()
						.map((member) -> new BundleCommand.MemberEnd("elsewhere", member.message().uid() + "/",
								"acknowledged", "1"))
						.toList())));
		}
		long seq = 0;
		for (List<BundleCommand> request : requests) {
			if (seq == requests.size() - 1) {
				assertThat(hash("bundles:results")).isEqualTo(2 * PAGE);
			}
			TestQueue.get(this.admin.bundles().bundle().run(this.name, lane, ++seq, request, false));
		}
		assertThat(hash("bundles:results")).isZero();
		assertThat(hash("bundles")).isZero();
	}

	/**
	 * Asserts that a request removes what it can add at least, and that nothing is left
	 * after enough requests.
	 */
	private static void cleansUp(int least, IntSupplier left, Runnable request) {
		int before = left.getAsInt();
		assertThat(before).as("more than the bound").isGreaterThan(least);
		request.run();
		assertThat(before - left.getAsInt()).as("removed by one request").isGreaterThanOrEqualTo(least);
		for (int n = before / least + 2; n > 0 && left.getAsInt() > 0; n--) {
			request.run();
		}
		assertThat(left.getAsInt()).as("left after enough requests").isLessThanOrEqualTo(0);
	}

	/**
	 * Puts 2,500 messages somewhere.
	 */
	private void fill(String where) {
		for (int from = 0; from < 2_500; from += 500) {
			int first = from;
			switch (where) {
				case "scheduled" -> this.queue.sender()
					.send(IntStream.range(0, 500).mapToObj((n) -> this.queue.message("m", HOUR)).toList());
				case "fair" -> sendFair(500, first, 1);
				case "ordered" -> this.queue.sender()
					.send(IntStream.range(0, 500)
						.mapToObj((n) -> this.queue.message("m", TestQueue.ordered("key-" + n)))
						.toList());
				default -> this.queue.sender().send(this.queue.messages(500));
			}
		}
		switch (where) {
			case "suspects" -> makeSuspects(2_500);
			case "dead" -> settle((message) -> Settlement.bury(message.uid(), message.claim(), "{}"));
			case "completed" -> settle((message) -> Settlement.done(message.uid(), message.claim(), kept(10 * PAGE)));
			default -> {
			}
		}
	}

	private void settle(Function<ClaimReply.Message, Settlement> settlement) {
		TestQueue.Consumer consumer = this.queue.consumer();
		for (int i = 0; i < 5; i++) {
			consumer.claim(0, consumer.claim(500).messages().stream().map(settlement).toList());
			pass(Duration.ofMillis(1));
		}
	}

	private void makeSuspects(int count) {
		TestQueue.Consumer dead = this.queue.consumer(SECOND);
		for (int i = 0; i < count; i += 500) {
			assertThat(dead.claim(500).messages()).hasSize(500);
		}
		pass(Duration.ofMinutes(1));
		TestQueue.Consumer consumer = this.queue.consumer();
		for (int i = 0; i < 100 && list("suspects") < count; i++) {
			consumer.claim(0);
		}
		assertThat(list("suspects")).isEqualTo(count);
	}

	private void makeSuspectsAndCancel(int count, int cancelled) {
		List<NewMessage> messages = this.queue.messages(count);
		for (int from = 0; from < count; from += 500) {
			this.queue.sender().send(messages.subList(from, from + 500));
		}
		makeSuspects(count);
		cancel(messages.subList(count - cancelled, count));
	}

	private void sendAndCancel(int count, int cancelled) {
		List<NewMessage> messages = this.queue.messages(count);
		for (int from = 0; from < count; from += 500) {
			this.queue.sender().send(messages.subList(from, from + 500));
		}
		cancel(messages.subList(0, cancelled));
	}

	/**
	 * Without the instance's own tidying of lists.
	 */
	private void cancel(List<NewMessage> messages) {
		String lane = TestQueue.get(this.admin.steer().openLane(this.name));
		long seq = 0;
		for (int from = 0; from < messages.size(); from += 100) {
			TestQueue
				.get(this.admin.steer()
					.run(this.name, lane, ++seq, messages.subList(from, from + 100)
						.stream()
						.map((message) -> new MessageCommand(MessageCommand.Action.CANCEL, message.uid(), "", "-"))
						.toList()));
		}
	}

	private void tidy() {
		long from = 0;
		for (int i = 0; i < 100; i++) {
			OptionalLong next = TestQueue.get(new TidyScript(this.admin.runner()).run(this.name, from));
			if (next.isEmpty()) {
				return;
			}
			from = next.getAsLong();
		}
	}

	private void command(List<MessageCommand> some) {
		TestQueue.get(this.commands.send(some));
	}

	private void handOver(int count) {
		TestQueue.get(new TestSender(this.bench.store, this.name, PAGE, null, SECOND).send(this.queue.messages(count)));
	}

	private void runs(String owner, int before, Duration lease, List<RunOnceScript.Step> steps) {
		TestQueue.get(new RunOnceScript(this.bench.store.runner()).run(this.name,
				new RunOnceScript.Request(owner, before + 1, 0, null, lease, steps)));
	}

	private static List<RunOnceScript.Step> steps(RunOnceScript.Step.Action action, int first, int count) {
		return IntStream.range(first, first + count)
			.mapToObj((i) -> new RunOnceScript.Step(action, "key-" + i, "run", SECOND))
			.toList();
	}

	private static void endJob(AdminScripts store, String id) {
		TestQueue.get(new JobsKey(store.runner()).begin(id, "{}", "", HOUR));
		TestQueue.get(new JobsKey(store.runner()).stop(id));
	}

	private void sendFair(int keys, int first, int each) {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < keys * each; i++) {
			messages.add(this.queue.message("m", TestQueue.fair("key-" + (first + i % keys), 1)));
		}
		for (int from = 0; from < messages.size(); from += PAGE) {
			this.queue.sender().send(messages.subList(from, Math.min(messages.size(), from + PAGE)));
		}
	}

	/**
	 * A queue without any message forgets all that keyed messages need.
	 */
	private void keepKeyed() {
		this.queue.sender().send(this.queue.message("m", Duration.ofDays(30), TestQueue.fair("another", 1)));
	}

	private static List<NewMessage> messages(int count, String id, IntFunction<Deduplication> deduplication) {
		Uids uids = new Uids();
		return IntStream.range(0, count)
			.mapToObj((i) -> new NewMessage(uids.next(), id, null, null, TestQueue.envelope("m"), null,
					deduplication.apply(i)))
			.toList();
	}

	private static byte[] ttl() {
		return "{\"v\":1,\"timeToLive\":1000,\"payload\":\"m\"}".getBytes(StandardCharsets.UTF_8);
	}

	private static ClaimLimits keyRate(String rate) {
		return new ClaimLimits(null, null, RateLimit.parse(rate), null, null);
	}

	private static List<Settlement> acks(ClaimReply reply) {
		return reply.messages().stream().map((message) -> Settlement.ack(message.uid(), message.claim())).toList();
	}

	private static List<Settlement> completed(ClaimReply reply, int most) {
		return reply.messages()
			.stream()
			.map((message) -> Settlement.done(message.uid(), message.claim(), kept(most)))
			.toList();
	}

	private static Completion kept(int most) {
		return new Completion(List.of(new KeptMessage(null, new RetentionBounds(HOUR, most, RetentionBounds.ANY_SIZE))),
				(accepted) -> {
				});
	}

	private static AdminScripts admin(String prefix, LuaScripts scripts) {
		return new AdminScripts(redis.client(), prefix, Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer), scripts, 4_000_000);
	}

	/**
	 * The scripts with a clock that stands.
	 */
	private static LuaScripts at(long now) {
		return LuaScripts.load(Map.of("stamp",
				LuaScripts.include("stamp").replace("redis.call('TIME')", "{ '" + now / 1_000 + "', '0' }")));
	}

	private RScoredSortedSet<String> set(String key) {
		return redis.client().getScoredSortedSet(this.queue.key(key), StringCodec.INSTANCE);
	}

	private int sorted(String key) {
		return set(key).size();
	}

	/**
	 * How many members' time is over.
	 */
	private int over(String key) {
		return set(key).count(Double.NEGATIVE_INFINITY, true, this.now, true);
	}

	private int hash(String key) {
		return redis.client().getMap(this.queue.key(key), StringCodec.INSTANCE).size();
	}

	private int list(String key) {
		return redis.client().getList(this.queue.key(key), StringCodec.INSTANCE).size();
	}

	private void pass(Duration time) {
		this.now += time.toMillis();
		this.bench.setClock(this.now);
	}

	/**
	 * One that publishes to the topic.
	 */
	private final class Publisher {

		private final TopicScripts topics;

		private final String lane;

		private long seq;

		Publisher(TopicScripts topics) {
			this.topics = topics;
			this.lane = TestQueue.get(topics.publish().open(BoundedCleanUpIntegrationTests.this.name));
		}

		void publish(int count) {
			TestQueue.get(this.topics.publish()
				.run(BoundedCleanUpIntegrationTests.this.name,
						new SendRequest(this.lane, ++this.seq, false,
								BoundedCleanUpIntegrationTests.this.queue.messages(count), null, false, false),
						(group) -> null));
		}

	}

}
