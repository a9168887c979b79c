package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.engine.QueueAdmins;
import io.redelay.queue.message.MessageEdit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.script.admin.PurgeScript;
import io.redelay.queue.script.admin.TrimDeadScript;
import io.redelay.queue.wire.BytesCodec;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RBucket;
import org.redisson.api.RScript;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the store at its limits: large requests, large messages, far times, and lanes
 * that die with thousands of messages. What it does with few is tested with the
 * {@link StoreModel}.
 */
class DelayQueueStoreIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@Test
	void whatAnotherLaneHoldsIsDeliveredAgainWhenALaneResumes() {
		TestQueue queue = queue();
		TestQueue.Consumer former = queue.consumer();
		TestQueue.Consumer other = queue.consumer();
		queue.sender().send(queue.messages(3));
		List<ClaimReply.Message> elsewhere = other.claim(2).messages();
		ClaimReply.Message untold = former.claim(1).messages().get(0);
		List<ResumeScript.Holding> holdings = List.of(new ResumeScript.Holding(elsewhere.get(0).uid(), 1, true),
				new ResumeScript.Holding(elsewhere.get(1).uid(), 1, false),
				new ResumeScript.Holding("forgotten", 1, true));
		String lane = queue.store.newLane();
		TestQueue.get(new LaneScript(queue.store).open(queue.name, lane, TestQueue.LEASE, 1));
		ResumeScript.Reply reply = TestQueue.get(new ResumeScript(queue.store.runner()).run(queue.name,
				new ResumeScript.Request(lane, 2, TestQueue.LEASE, former.lane, true, true, holdings)));
		assertThat(reply.refused()).containsExactlyInAnyOrder(elsewhere.get(0).uid(), elsewhere.get(1).uid(),
				"forgotten");
		assertThat(reply.givenBack()).as("two that another lane holds, and " + untold.uid()).isEqualTo(3);
	}

	// Many

	@Test
	void tenThousandMessagesAreSentAtOnceAndClaimedInOrder() {
		TestQueue queue = queue();
		queue.sender().send(queue.messages(10_000));
		TestQueue.Consumer consumer = queue.consumer();
		List<String> payloads = new ArrayList<>();
		for (ClaimReply reply = consumer.claim(1_000); !reply.messages().isEmpty(); reply = consumer.claim(1_000,
				settle(reply, Settlement::ack))) {
			reply.messages().forEach((message) -> payloads.add(TestQueue.payload(message)));
		}
		assertThat(payloads).hasSize(10_000).startsWith("m0", "m1").endsWith("m9998", "m9999").doesNotHaveDuplicates();
		assertThat(queueLength(queue)).isZero();
	}

	@Test
	void aRequestThatLacksABodyAddsNothing() {
		TestQueue queue = queue();
		TestQueue.Sender sender = queue.sender();
		List<NewMessage> messages = new ArrayList<>(queue.messages(1_000));
		messages.add(queue.message("x".repeat(600)));
		SendRequest request = new SendRequest(sender.lane, 1, false, messages, null, false, false);
		Object[] args = SendScript.args(request, "wake", true);
		ScriptRunner runner = queue.store.runner();
		assertThat(runner.run("Sending", Script.SEND, SendScript.keys(runner.keys(queue.name), request),
				Arrays.copyOf(args, args.length - 1), (reply) -> reply))
			.failsWithin(Duration.ofSeconds(30));
		assertThat(queueLength(queue)).isZero();
		assertThat(sender.send(messages).status()).isEqualTo(LaneStatus.OK);
		assertThat(queueLength(queue)).isEqualTo(1_001);
	}

	@Test
	void messagesWithOptionsOfTheirOwnAreSentTogether() {
		TestQueue queue = queue();
		List<String> tags = IntStream.range(0, 10).mapToObj((n) -> "tag " + n).toList();
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			messages.add(queue.message("plain " + i));
			messages.add(queue.messageWithId("id " + i % 300 / 2, "id " + i));
			messages.add(queue.message("tagged " + i, MessageKeys.NONE.tagged(tags)));
			messages.add(queue.message("urgent " + i, TestQueue.urgent(9)));
			messages.add(queue.message("later " + i, Duration.ofHours(1), TestQueue.ordered("key " + i % 7)));
			messages.add(queue.message("ordered " + i, TestQueue.ordered("key " + i)));
		}
		SendReply reply = queue.sender().send(messages);
		assertThat(reply.fates()).hasSize(450).containsKey(6 * 300 + 1);
		assertThat(reply.fates().get(6 + 1)).extracting(SendReply.Fate::outcome, SendReply.Fate::other)
			.containsExactly(SendOutcome.DUPLICATE, "id 0");
		assertThat(queueLength(queue)).isEqualTo(3_150);
		assertThat(redis.client().getScoredSortedSet(queue.key("tags"), StringCodec.INSTANCE).size()).isEqualTo(6_000);
		assertThat(redis.client().getScoredSortedSet(queue.key("scheduled"), StringCodec.INSTANCE).size())
			.isEqualTo(600);
		TestQueue.Consumer consumer = queue.consumer();
		List<String> payloads = new ArrayList<>();
		for (ClaimReply claimed = consumer.claim(1_000); !claimed.messages().isEmpty(); claimed = consumer.claim(1_000,
				settle(claimed, Settlement::ack))) {
			claimed.messages().forEach((message) -> payloads.add(TestQueue.payload(message)));
		}
		assertThat(payloads).hasSize(2_550).doesNotHaveDuplicates();
		assertThat(payloads.subList(0, 600)).first().isEqualTo("urgent 0");
		assertThat(payloads.subList(0, 600)).last().isEqualTo("urgent 599");
		assertThat(payloads.subList(600, 606)).containsExactly("plain 0", "id 0", "tagged 0", "ordered 0", "plain 1",
				"tagged 1");
		assertThat(redis.client().getScoredSortedSet(queue.key("tags"), StringCodec.INSTANCE).size()).isZero();
		assertThat(redis.client().getMap(queue.key("ids"), StringCodec.INSTANCE).size()).isZero();
	}

	@Test
	void anIdIsTakenFromADeadMessageAndNotFromALivingOne() {
		TestQueue queue = queue();
		queue.sender()
			.send(List.of(queue.messageWithId("dead", "first"), queue.messageWithId("living", "second"),
					queue.message("third", Duration.ofHours(1), TestQueue.ordered("key"))));
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply claimed = consumer.claim(1);
		consumer.claim(0, settle(claimed, (uid, claim) -> Settlement.bury(uid, claim, "{\"reason\":\"FAILED\"}")));
		SendReply reply = queue.sender()
			.send(List.of(queue.messageWithId("living", "again"), queue.messageWithId("dead", "again")));
		assertThat(reply.fates()).containsOnlyKeys(0);
		assertThat(redis.client().getScoredSortedSet(queue.key("dead:ids"), StringCodec.INSTANCE).size()).isOne();
	}

	@Test
	void tenThousandDelayedMessagesAreSentAtOnce() {
		TestQueue queue = queue();
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			messages.add(queue.message("m" + i, Duration.ofMillis(1)));
		}
		queue.sender().send(messages);
		TestQueue.Consumer consumer = queue.consumer();
		int claimed = 0;
		ClaimReply reply = consumer.claim(1_000);
		while (claimed < 10_000) {
			claimed += reply.messages().size();
			reply = consumer.claim(1_000, settle(reply, Settlement::ack));
		}
		assertThat(reply.messages()).isEmpty();
		assertThat(queueLength(queue)).isZero();
	}

	@Test
	void tenThousandDuplicatesAreReportedAgain() {
		TestQueue queue = queue();
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			messages.add(queue.messageWithId("id " + i, "m" + i));
		}
		TestQueue.Sender sender = queue.sender();
		assertThat(sender.send(messages).fates()).isEmpty();
		SendReply reply = sender.send(messages);
		assertThat(reply.fates()).hasSize(10_000);
		assertThat(reply.fates().get(9_999).other()).isEqualTo(messages.get(9_999).id());
		assertThat(TestQueue.get(queue.store.sends()
			.send()
			.run(queue.name, new SendRequest(sender.lane, 2, false, messages, null, false, false)))).isEqualTo(reply);
		assertThat(queueLength(queue)).isEqualTo(10_000);
	}

	@Test
	void whatDiedInTheSameMillisecondIsTrimmedInTheOrderOfSending() {
		TestQueue queue = queue();
		List<NewMessage> messages = queue.messages(100);
		queue.sender().send(messages);
		TestQueue.Consumer consumer = queue.consumer();
		consumer.claim(0, settle(consumer.claim(100), (uid, claim) -> Settlement.bury(uid, claim, "{}")));
		String lane = TestQueue.get(admin().steer().openLane(queue.name));
		TrimDeadScript.Result reply = TestQueue
			.get(new TrimDeadScript(admin()).run(queue.name, lane, 1, 40, Duration.ofDays(1), Long.MAX_VALUE));
		assertThat(reply.trimmed()).isEqualTo(messages.subList(0, 60).stream().map(NewMessage::uid).toList());
	}

	@Test
	void whatIsBeingHandedOnIsNotPurged() {
		TestQueue queue = queue();
		List<NewMessage> messages = queue.messages(3_000);
		queue.sender().send(messages);
		TestQueue.Consumer consumer = queue.consumer();
		for (int i = 0; i < 3; i++) {
			consumer.claim(0, settle(consumer.claim(1_000), (uid, claim) -> Settlement.bury(uid, claim, "{}")));
		}
		List<String> marked = messages.stream().map(NewMessage::uid).limit(1_200).toList();
		CommandBatcher commands = admin().steer().batcher(queue.name);
		for (int i = 0; i < 1_200; i += 400) {
			TestQueue.get(commands.send(marked.subList(i, i + 400)
				.stream()
				.map((uid) -> new MessageCommand(MessageCommand.Action.FORWARD, uid, "other", ""))
				.toList()));
		}
		String lane = TestQueue.get(admin().steer().openLane(queue.name));
		assertThat(TestQueue.get(new PurgeScript(admin()).run(queue.name, lane, 1, MessageState.DEAD, 1_000)))
			.isEqualTo(new PurgeScript.Result(LaneStatus.OK, 1_000, true));
		assertThat(TestQueue.get(new PurgeScript(admin()).run(queue.name, lane, 2, MessageState.DEAD, 1_000)))
			.isEqualTo(new PurgeScript.Result(LaneStatus.OK, 800, false));
		assertThat(dump(queue).dead()).containsOnlyKeys(marked);
	}

	@Test
	void allThatIsInFlightIsShownHoweverMuchItIs() {
		TestQueue queue = queue();
		TestQueue.Sender sender = queue.sender();
		TestQueue.Consumer consumer = queue.consumer(Duration.ofMinutes(10));
		int count = 53_000;
		for (int i = 0; i < count; i += 1_000) {
			sender.send(queue.messages(1_000));
			assertThat(consumer.claim(1_000).messages()).hasSize(1_000);
		}
		TestQueue.get(queue.store.names().addQueue(queue.name));
		QueueAdmin pages = QueueAdmins.of(admin(), "test");
		for (int page = 100; page < 106; page++) {
			QueuePage found = pages.messages().browse(queue.name, MessageState.IN_FLIGHT, page, 500);
			assertThat(found.messages()).hasSize(500);
			assertThat(found.hasNext()).isEqualTo(page < 105);
		}
		assertThat(pages.messages().browse(queue.name, MessageState.IN_FLIGHT, 106, 500).messages()).isEmpty();
	}

	@Test
	void aThousandAreClaimedAndSettledInEachWay() {
		TestQueue queue = queue();
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			messages.add(queue.messageWithId("id " + i, "m" + i));
		}
		queue.sender().send(messages);
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply reply = consumer.claim(1_000);
		assertThat(reply.messages()).hasSize(1_000);
		reply = consumer.claim(1_000, settle(reply, (uid, claim) -> Settlement.retry(uid, claim, Duration.ZERO)));
		assertThat(reply.messages()).hasSize(1_000).allMatch((message) -> message.failures() == 1);
		reply = consumer.claim(1_000, settle(reply, (uid, claim) -> Settlement.giveBack(uid, claim, Duration.ZERO)));
		assertThat(reply.messages()).hasSize(1_000).allMatch((message) -> message.failures() == 1);
		assertThat(TestQueue.payload(reply.messages().get(999))).isEqualTo("m999");
		reply = consumer.claim(1_000,
				settle(reply, (uid, claim) -> Settlement.giveBack(uid, claim, Duration.ofMillis(1))));
		List<ClaimReply.Message> again = new ArrayList<>(reply.messages());
		while (again.size() < 1_000) {
			again.addAll(consumer.claim(1_000 - again.size()).messages());
		}
		reply = consumer.claim(0,
				again.stream().map((message) -> Settlement.bury(message.uid(), message.claim(), "{}")).toList());
		assertThat(reply.refused()).isEmpty();
		StoreDump dump = dump(queue);
		assertThat(dump.dead()).hasSize(1_000);
		assertThat(dump.messages()).isEmpty();
		assertThat(dump.tries()).isEmpty();
	}

	@Test
	void theTraceOfTheFirstAttemptStaysThroughRetriesAndCrashes() {
		long now = System.currentTimeMillis();
		String name = TestRedis.queue();
		StoreWorkbench bench = new StoreWorkbench(redis.client(), name, timer);
		bench.setClock(now);
		TestQueue queue = new TestQueue(name, bench.store);
		queue.sender().send(queue.messages(1));
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply.Message message = consumer.claim(1).messages().get(0);
		assertThat(message.firstAttempt()).isNull();
		for (String trace : List.of("one", "two")) {
			Settlement retry = Settlement.retry(message.uid(), message.claim(), Duration.ZERO, "{}").withTrace(trace);
			message = consumer.claim(1, retry).messages().get(0);
			assertThat(message.firstAttempt()).isEqualTo("one");
		}
		assertThat(TestQueue.get(bench.admin.messages().browse(name, MessageState.IN_FLIGHT, 0, 1)).messages())
			.singleElement()
			.satisfies((looked) -> assertThat(looked.failures()).isEqualTo(2));
		for (int crashes = 0; crashes < 2; crashes++) {
			now += 40_000;
			bench.setClock(now);
			message = queue.consumer().claim(1).messages().get(0);
			assertThat(message.suspect()).isTrue();
			assertThat(message.firstAttempt()).isEqualTo("one");
			assertThat(message.failures()).isEqualTo(2);
			assertThat(message.crashes()).isEqualTo(crashes);
		}
	}

	@Test
	void theTraceOfTheFirstAttemptStaysWhenFailuresAreChanged() {
		String name = TestRedis.queue();
		StoreWorkbench bench = new StoreWorkbench(redis.client(), name, timer);
		bench.setClock(System.currentTimeMillis());
		TestQueue queue = new TestQueue(name, bench.store);
		queue.sender().send(queue.messages(1));
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply.Message message = consumer.claim(1).messages().get(0);
		String lane = TestQueue.get(bench.admin.steer().openLane(name));
		for (int failures : new int[] { 3 }) {
			consumer.claim(0,
					Settlement.retry(message.uid(), message.claim(), Duration.ZERO, "{}").withTrace("t" + failures));
			StoredMessage found = TestQueue.get(bench.admin.messages().find(name, List.of(message.uid())))
				.messages()
				.get(0);
			MessageCommand change = new MessageCommand(MessageCommand.Action.CHANGE, message.uid(),
					new MessageEdit(found, failures, null, 4, null, null).argument(), "fresh" + failures);
			assertThat(TestQueue.get(bench.admin.steer().run(name, lane, 1, List.of(change))).results())
				.extracting(CommandReply.Result::outcome)
				.containsExactly(CommandReply.Result.Outcome.DONE);
			message = consumer.claim(1).messages().get(0);
			assertThat(message.failures()).isEqualTo(failures);
			assertThat(message.firstAttempt()).isEqualTo("t3");
		}
	}

	// Large

	@Test
	void largeEnvelopesOfAnyBytesStayAsTheyAre() {
		TestQueue queue = queue();
		byte[] envelope = new byte[1024 * 1024];
		for (int i = 0; i < envelope.length; i++) {
			envelope[i] = (byte) (i * 31 + i / 256);
		}
		envelope[0] = '{';
		String uid = "large";
		queue.sender().send(new NewMessage(uid, null, null, null, envelope));
		TestQueue.Consumer consumer = queue.consumer();
		byte[] claimed = consumer.claim(1).messages().get(0).envelope();
		int stamped = claimed.length - envelope.length;
		assertThat(new String(claimed, 0, stamped, StandardCharsets.UTF_8)).matches("\\{\"sentAt\":\\d{13}");
		assertThat(claimed[stamped]).isEqualTo((byte) ',');
		assertThat(claimed).endsWith(java.util.Arrays.copyOfRange(envelope, 1, envelope.length));
		consumer.claim(0, Settlement.bury(uid, 1, "{}"));
		Object dead = redis.client()
			.getScript(BytesCodec.INSTANCE)
			.eval(RScript.Mode.READ_ONLY, "return redis.call('HGET', KEYS[1], ARGV[1])", RScript.ReturnType.VALUE,
					List.of(queue.key("dead:messages")), uid);
		assertThat((byte[]) dead).isEqualTo(claimed);
	}

	@Test
	void claimsAreCappedByBytes() {
		TestQueue queue = queue();
		queue.sender()
			.send(queue.message("x".repeat(900)), queue.message("y".repeat(900)), queue.message("z".repeat(900)));
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply reply = claim(queue, consumer, 1, 10, 2_000);
		assertThat(reply.messages()).hasSize(2);
		assertThat(reply.next()).isEqualTo(Duration.ZERO);
		assertThat(claim(queue, consumer, 2, 10, 1).messages()).as("one that is too long alone").hasSize(1);
	}

	@Test
	void claimsOfLongEnvelopesAreCappedByBytes() {
		TestQueue queue = queue();
		queue.sender().send(queue.message("x".repeat(10_000)), queue.message("y"), queue.message("z".repeat(5_000)));
		TestQueue.Consumer consumer = queue.consumer();
		assertThat(claim(queue, consumer, 1, 3, 13_000).messages()).hasSize(2);
		assertThat(claim(queue, consumer, 2, 3, 13_000).messages()).hasSize(1);
	}

	@Test
	void theSuspectCountsAmongTheBytes() {
		TestQueue queue = queue();
		queue.sender().send(queue.message("x".repeat(900)));
		TestQueue.Consumer dying = queue.consumer();
		dying.claim(1);
		dying.close();
		queue.sender().send(queue.message("y".repeat(900)), queue.message("z"));
		ClaimReply reply = claim(queue, queue.consumer(), 1, 10, 1_500);
		assertThat(reply.messages()).singleElement().matches(ClaimReply.Message::suspect);
		assertThat(reply.next()).isEqualTo(Duration.ZERO);
	}

	// Asleep

	@Test
	void aLaneThatSleptWhileItHeldAMessageIsAwakeOnceItClaimsAgain() {
		TestQueue queue = queue();
		queue.sender().send(queue.message("m"));
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply held = consumer.claim(1);
		consumer.claimOrSleep(Duration.ofMinutes(1));
		assertThat(StoreDump.of(redis.client(), queue.name).sleepers()).containsOnlyKeys(consumer.lane);
		consumer.claim(0, settle(held, Settlement::ack));
		assertThat(StoreDump.of(redis.client(), queue.name).sleepers()).isEmpty();
	}

	// Far

	@Test
	void farTimesAreKeptApartAndNeverEarly() {
		TestQueue queue = queue();
		Instant far = Instant.now().plus(3_000, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MILLIS);
		queue.sender()
			.send(queue.message("a", Duration.ofDays(3_650)),
					queue.messageAt("b", Instant.parse("2468-12-31T23:59:59.999Z")), queue.messageAt("c", far),
					queue.messageAt("d", far.plusMillis(1)), queue.messageAt("e", far.plusNanos(1)));
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply reply = consumer.claim(10);
		assertThat(reply.messages()).isEmpty();
		assertThat(reply.time().plus(reply.next())).isEqualTo(far);
		assertThat(dump(queue).scheduled().values()).contains(far.toEpochMilli())
			.filteredOn((due) -> due == far.toEpochMilli() + 1)
			.hasSize(2);
	}

	@Test
	void pastTimesAreDueAtOnce() {
		TestQueue queue = queue();
		queue.sender()
			.send(queue.messageAt("a", Instant.parse("1970-01-02T00:00:00Z")),
					queue.messageAt("b", Instant.now().minusMillis(1)), queue.message("c", Duration.ZERO));
		assertThat(queue.consumer().claim(10).messages()).extracting(TestQueue::payload).containsExactly("a", "b", "c");
	}

	@Test
	void aFarRetryIsTaken() {
		TestQueue queue = queue();
		queue.sender().send(queue.messages(1));
		TestQueue.Consumer consumer = queue.consumer();
		String uid = consumer.claim(1).messages().get(0).uid();
		assertThat(consumer.claim(1, Settlement.retry(uid, 1, Duration.ofSeconds(Long.MAX_VALUE))).refused()).isEmpty();
		assertThat(dump(queue).scheduled()).containsOnlyKeys(uid);
	}

	// Lanes that die with thousands

	@Test
	void whatALaneHeldComesBackInStepsWhileOthersKeepTheirs() {
		LargeLanes lanes = new LargeLanes();
		lanes.bench.setClock(lanes.now + 40_000);
		lanes.alive.renew();
		int steps = lanes.sweep();
		assertThat(steps).isBetween(5, 20);
		StoreDump dump = lanes.bench.dump();
		assertThat(dump.suspects()).hasSize(3_000).doesNotHaveDuplicates();
		assertThat(dump.held()).doesNotContainKey("@" + lanes.dying.lane);
		assertThat(dump.held().values()).filteredOn((holder) -> holder.startsWith(lanes.alive.lane + "/")).hasSize(600);
		assertThat(lanes.alive
			.claim(0,
					lanes.aliveHolds.stream().map((message) -> Settlement.ack(message.uid(), message.claim())).toList())
			.refused()).isEmpty();
	}

	@Test
	void aLaneThatRenewsItselfInTheMiddleKeepsTheRest() {
		LargeLanes lanes = new LargeLanes();
		lanes.bench.setClock(lanes.now + 40_000);
		lanes.alive.renew();
		lanes.sweeper.claim(0);
		assertThat(lanes.sweeper.claim(0).next()).isEqualTo(Duration.ZERO);
		assertThat(lanes.dying.renew()).isTrue();
		assertThat(lanes.sweeper.claim(0).next()).isNotEqualTo(Duration.ZERO);
		StoreDump dump = lanes.bench.dump();
		int lost = dump.suspects().size();
		assertThat(lost).isBetween(512, 2_000);
		assertThat(dump.held().get("@" + lanes.dying.lane)).contains("|" + (3_000 - lost) + "|");
		ClaimReply again = TestQueue.get(lanes.bench.store.claim()
			.run(lanes.queue.name, TestQueue.request(lanes.dying.lane, 3, TestQueue.LEASE, 1_000, Integer.MAX_VALUE,
					true, Duration.ZERO, List.of())));
		assertThat(again.messages()).extracting(ClaimReply.Message::uid)
			.isNotEmpty()
			.hasSizeLessThan(1_000)
			.doesNotContainAnyElementsOf(dump.suspects());
		List<Settlement> settlements = lanes.dyingHolds.stream()
			.map((message) -> Settlement.giveBack(message.uid(), message.claim(), Duration.ZERO))
			.toList();
		int refused = 0;
		for (int i = 0; i < 3; i++) {
			refused += lanes.dying.claim(0, settlements.subList(i * 1_000, (i + 1) * 1_000)).refused().size();
		}
		assertThat(refused).isEqualTo(lost);
		assertThat(lanes.bench.dump().ready()).hasSize(3_000 - lost).doesNotHaveDuplicates();
	}

	@Test
	void aSweepThatLosesItsPlaceFindsTheRestInTheEnd() {
		LargeLanes lanes = new LargeLanes();
		lanes.bench.setClock(lanes.now + 40_000);
		lanes.alive.renew();
		lanes.sweeper.claim(0);
		// A cursor from before a restart of Redis may point anywhere, such as close to
		// the end.
		redis.client().getMap(lanes.queue.key("meta"), StringCodec.INSTANCE).put("sweep", "4095");
		lanes.sweep();
		StoreDump dump = lanes.bench.dump();
		assertThat(dump.suspects()).hasSize(3_000).doesNotHaveDuplicates();
		assertThat(dump.lanes()).containsOnlyKeys(lanes.alive.lane, lanes.sweeper.lane);
	}

	@Test
	void deadLanesThatHeldNothingAreForgottenWithoutASweep() {
		LargeLanes lanes = new LargeLanes();
		List<TestQueue.Consumer> idle = new ArrayList<>();
		for (int i = 0; i < 250; i++) {
			idle.add(lanes.queue.consumer(Duration.ofSeconds(10)));
		}
		lanes.bench.setClock(lanes.now + 20_000);
		lanes.sweep();
		StoreDump dump = lanes.bench.dump();
		assertThat(dump.lanes()).hasSize(3);
		assertThat(dump.meta()).doesNotContainKey("sweep");
		assertThat(dump.suspects()).isEmpty();
		assertThat(idle.get(0).renew()).isFalse();
	}

	@Test
	void aSenderLaneIsRememberedForLongerWhenItIsRenewed() {
		TestQueue queue = queue();
		TestQueue.Sender sender = queue.sender();
		RBucket<String> memory = redis.client()
			.getBucket("redelay:{" + queue.name + "}:sent:" + sender.lane, StringCodec.INSTANCE);
		assertThat(memory.remainTimeToLive()).isBetween(590_000L, 600_000L);
		memory.expire(Duration.ofMinutes(5));
		sender.send(queue.message("m1"));
		assertThat(memory.remainTimeToLive()).isBetween(290_000L, 300_000L);
		SendRequest renewing = new SendRequest(sender.lane, 2, true, List.of(queue.message("m2")), null, false, false);
		SendReply reply = TestQueue.get(queue.store.sends().send().run(queue.name, renewing));
		assertThat(memory.remainTimeToLive()).isBetween(590_000L, 600_000L);
		assertThat(TestQueue.get(queue.store.sends().send().run(queue.name, renewing))).isEqualTo(reply);
		assertThat(queueLength(queue)).isEqualTo(2);
	}

	@Test
	void aLaneThatIsOnlyRenewedIsNotForgotten() {
		String name = TestRedis.queue();
		StoreWorkbench bench = new StoreWorkbench(redis.client(), name, timer);
		long now = System.currentTimeMillis();
		bench.setClock(now);
		TestQueue queue = new TestQueue(name, bench.store);
		TestQueue.Consumer consumer = queue.consumer();
		consumer.claim(1);
		for (int i = 1; i <= 10; i++) {
			bench.setClock(now + i * 20_000L);
			assertThat(consumer.renew()).isTrue();
		}
		StoreDump dump = bench.dump();
		assertThat(dump.expiries()).containsKeys("held", "lanes");
		long deadline = dump.lanes().get(consumer.lane);
		assertThat(System.currentTimeMillis() + dump.expiries().get("held")).isGreaterThan(deadline);
		assertThat(System.currentTimeMillis() + dump.expiries().get("lanes")).isGreaterThan(deadline);
	}

	@Test
	void whatIsBuriedOrRetriedByADeadLaneStaysWithItsNewHolder() {
		String name = TestRedis.queue();
		StoreWorkbench bench = new StoreWorkbench(redis.client(), name, timer);
		long now = System.currentTimeMillis();
		bench.setClock(now);
		TestQueue queue = new TestQueue(name, bench.store);
		queue.sender().send(queue.messages(2));
		TestQueue.Consumer paused = queue.consumer();
		List<ClaimReply.Message> held = paused.claim(2).messages();
		bench.setClock(now + 40_000);
		TestQueue.Consumer next = queue.consumer();
		ClaimReply.Message suspect = next.claim(2).messages().get(0);
		ClaimReply late = paused.claim(0, settle(held, (uid, claim) -> Settlement.bury(uid, claim, "{}")));
		assertThat(late.status()).isEqualTo(LaneStatus.GONE);
		assertThat(paused.renew()).isFalse();
		assertThat(dump(queue).dead()).isEmpty();
		assertThat(next.claim(1, Settlement.ack(suspect.uid(), suspect.claim())).refused()).isEmpty();
	}

	@Test
	void whatCommandsAddToEnvelopesCountsAmongTheBytesOfAClaim() {
		String name = TestRedis.queue();
		StoreWorkbench bench = new StoreWorkbench(redis.client(), name, timer);
		bench.setClock(System.currentTimeMillis());
		TestQueue queue = new TestQueue(name, bench.store);
		List<NewMessage> messages = Stream.generate(() -> queue.message("x".repeat(4059))).limit(3).toList();
		queue.sender().send(messages);
		CommandBatcher commands = bench.admin.steer().batcher(name);
		TestQueue.get(commands.send(messages.stream()
			.map((message) -> new MessageCommand(MessageCommand.Action.RUN, message.uid(), "", "run-" + message.uid()))
			.toList()));
		int limit = 3 * 4096;
		ClaimReply reply = claim(queue, queue.consumer(), 1, 3, limit);
		assertThat(reply.messages()).hasSize(2)
			.allMatch((message) -> message.envelope().length > 4096 && message.envelope().length <= 4096 + 128);
	}

	private static List<Settlement> settle(ClaimReply reply, BiFunction<String, Long, Settlement> how) {
		return settle(reply.messages(), how);
	}

	private static List<Settlement> settle(List<ClaimReply.Message> messages,
			BiFunction<String, Long, Settlement> how) {
		return messages.stream().map((message) -> how.apply(message.uid(), message.claim())).toList();
	}

	private static ClaimReply claim(TestQueue queue, TestQueue.Consumer consumer, long seq, int wanted, int maxBytes) {
		return TestQueue.get(queue.store.claim()
			.run(queue.name, TestQueue.request(consumer.lane, seq, TestQueue.LEASE, wanted, maxBytes, true,
					Duration.ZERO, List.of())));
	}

	private static int queueLength(TestQueue queue) {
		return dump(queue).messages().size();
	}

	private static StoreDump dump(TestQueue queue) {
		return StoreDump.of(redis.client(), queue.name);
	}

	private static AdminScripts admin() {
		return new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(30), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
	}

	private static TestQueue queue() {
		return new TestQueue(
				TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE));
	}

	/**
	 * A lane that will die with 3,000 messages, one that lives with 600, and one that
	 * looks after them.
	 */
	private static final class LargeLanes {

		final long now = System.currentTimeMillis();

		final TestQueue queue;

		final StoreWorkbench bench;

		final TestQueue.Consumer dying;

		final TestQueue.Consumer alive;

		final TestQueue.Consumer sweeper;

		final List<ClaimReply.Message> dyingHolds = new ArrayList<>();

		final List<ClaimReply.Message> aliveHolds = new ArrayList<>();

		LargeLanes() {
			String name = TestRedis.queue();
			this.bench = new StoreWorkbench(redis.client(), name, timer);
			this.bench.setClock(this.now);
			this.queue = new TestQueue(name, this.bench.store);
			this.queue.sender().send(this.queue.messages(3_600));
			this.dying = this.queue.consumer();
			this.alive = this.queue.consumer();
			this.sweeper = this.queue.consumer(Duration.ofMinutes(10));
			for (int i = 0; i < 3; i++) {
				this.dyingHolds.addAll(this.dying.claim(1_000).messages());
				this.aliveHolds.addAll(this.alive.claim(200).messages());
			}
		}

		/**
		 * Claims until there is nothing to sweep any more.
		 */
		int sweep() {
			int steps = 1;
			while (Duration.ZERO.equals(this.sweeper.claim(0).next())) {
				assertThat(steps++).as("steps of the sweep").isLessThan(100);
			}
			return steps;
		}

	}

}
