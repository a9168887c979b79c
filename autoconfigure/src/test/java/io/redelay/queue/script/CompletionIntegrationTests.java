package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.Deduplication;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what goes together with acknowledgements, and of the outbox.
 */
class CompletionIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static QueueScripts store;

	private final TestQueue source = new TestQueue(store);

	private final TestQueue target = new TestQueue(store);

	@BeforeAll
	static void createStore() {
		store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
	}

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@Test
	void theMessageIsSentWithTheAcknowledgement() {
		TestQueue.Consumer next = sleepingConsumer();
		TestQueue.Consumer consumer = holding("work");
		ClaimReply reply = consumer.claim(0, done(this.target.message("next")));
		assertThat(reply.refused()).isEmpty();
		assertThat(reply.hasNotes()).isFalse();
		assertThat(next.claim(10).messages()).extracting(TestQueue::payload).containsExactly("next");
		assertThat(exists("messages", "outbox", "meta")).isZero();
	}

	@Test
	void nothingIsSentWithAnAcknowledgementThatIsRefused() {
		this.target.sender();
		TestQueue.Consumer consumer = holding("work");
		String uid = this.uid;
		ClaimReply reply = consumer.claim(0, Settlement.ack(uid, 1), done(this.target.message("next")));
		assertThat(reply.refused()).containsExactly(uid);
		reply = consumer.claim(0, Settlement.done(uid, 1, completion(this.target, this.target.message("next"))));
		assertThat(reply.refused()).containsExactly(uid);
		assertThat(this.target.consumer().claim(10).messages()).isEmpty();
	}

	@Test
	void aRepeatedRequestSendsNothingMore() {
		this.target.sender();
		TestQueue.Consumer consumer = holding("work");
		ClaimRequest request = TestQueue.request(consumer.lane, 2, LEASE, 0, 1000, false, Duration.ZERO,
				List.of(done(this.target.message("next"))));
		TestQueue.get(store.claim().run(this.source.name, request));
		TestQueue.get(store.claim().run(this.source.name, request));
		assertThat(this.target.consumer().claim(10).messages()).hasSize(1);
	}

	@Test
	void aRepeatedRequestReturnsTheNotesAgain() {
		TestQueue.Consumer consumer = holding("work");
		ClaimRequest request = TestQueue.request(consumer.lane, 2, LEASE, 0, 1000, false, Duration.ZERO,
				List.of(done(this.target.message("next"))));
		TestQueue.get(store.claim().run(this.source.name, request));
		ClaimReply again = TestQueue.get(store.claim().run(this.source.name, request));
		assertThat(again.hasNotes()).isTrue();
		assertThat(again.refused()).isEmpty();
		assertThat(outbox("one", null).count()).isEqualTo(1);
	}

	@Test
	void aLateAcknowledgementSendsIfNoLaneHoldsTheMessage() {
		this.target.sender();
		TestQueue.Consumer consumer = holding("work");
		consumer.claim(0, Settlement.retry(this.uid, 1, Duration.ZERO));
		Settlement late = done(this.target.message("next")).late();
		assertThat(consumer.claim(0, late).refused()).isEmpty();
		assertThat(consumer.claim(0, late).refused()).containsExactly(this.uid);
		assertThat(consumer.claim(1).messages()).isEmpty();
		assertThat(this.target.consumer().claim(10).messages()).hasSize(1);
	}

	@Test
	void aLateAcknowledgementSendsNothingWhileAnotherHoldsTheMessage() {
		this.target.sender();
		TestQueue.Consumer consumer = holding("work");
		consumer.claim(0, Settlement.giveBack(this.uid, 1, Duration.ZERO));
		this.source.consumer().claim(1);
		assertThat(consumer.claim(0, done(this.target.message("next")).late()).refused()).containsExactly(this.uid);
		assertThat(this.target.consumer().claim(10).messages()).isEmpty();
	}

	@Test
	void aMessageToAQueueThatIsNotThereWaitsInTheOutbox() {
		TestQueue.Consumer consumer = holding("work");
		NewMessage next = this.target.message("next");
		ClaimReply reply = consumer.claim(0, done(next));
		assertThat(reply.hasNotes()).isTrue();
		assertThat(reply.refused()).isEmpty();
		assertThat(consumer.claim(1).hasNotes()).isTrue();
		OutboxScript.Reply notes = outbox("one", null);
		assertThat(notes.notes()).hasSize(1);
		NextMessage read = NextMessage.read(notes.notes().get(0));
		assertThat(read.queue()).isEqualTo(this.target.name);
		assertThat(read.message()).usingRecursiveComparison().isEqualTo(next);
		assertThat(outbox("one", null, notes.notes().get(0)).count()).isZero();
		assertThat(consumer.claim(1).hasNotes()).isFalse();
		assertThat(exists("outbox", "meta")).isZero();
	}

	@Test
	void aMessageToAFullQueueWaitsInTheOutboxWithAllThatIsKnownOfIt() {
		this.target.sender().send(this.target.message("m"));
		TestQueue.Consumer consumer = holding("work");
		NewMessage next = new NewMessage(this.target.message("").uid(), "the id", null, null,
				TestQueue.envelope("line\u2028é"), new MessageKeys("o\"k", "f", 3, 7, Duration.ofSeconds(9), true),
				Deduplication.firstWins("k", Duration.ofHours(1)));
		consumer.claim(0, Settlement.done(this.uid, 1, new Completion(
				List.of(new NextMessage(this.target.name, next, new LengthLimit(1, false, null))), (counted) -> {
				})));
		NextMessage read = NextMessage.read(outbox("one", null).notes().get(0));
		assertThat(read.message()).usingRecursiveComparison().isEqualTo(next);
		assertThat(this.target.consumer().claim(10).messages()).extracting(TestQueue::payload).containsExactly("m");
	}

	@Test
	void aDelayBeginsWithTheAcknowledgementWhereverTheMessageWaits() {
		TestQueue.Consumer consumer = holding("work");
		ClaimReply reply = consumer.claim(0, done(this.target.message("next", Duration.ofMinutes(3))));
		NewMessage noted = NextMessage.read(outbox("one", null).notes().get(0)).message();
		assertThat(noted.dueAt()).isBetween(reply.time().plusSeconds(180), reply.time().plusMillis(180_001));
		this.target.sender();
		consumer = holding("more");
		reply = consumer.claim(0, done(this.target.message("next", Duration.ofMinutes(3))));
		double due = redis.client()
			.<String>getScoredSortedSet(this.target.key("scheduled"), StringCodec.INSTANCE)
			.firstScore();
		assertThat((long) due).isEqualTo(reply.time().toEpochMilli() + 180_001);
	}

	@Test
	void aMessageWithAKeyJoinsTheQueueOfTheAcknowledgedOne() {
		TestQueue.Consumer consumer = holding("work");
		NewMessage keyed = this.source.message("next", TestQueue.ordered("key"));
		// The claim knows of no keys yet, and so leaves it to the relay.
		assertThat(consumer.claim(0, done(this.source, keyed)).hasNotes()).isTrue();
		this.source.sender().send(this.source.message("work", TestQueue.ordered("key")));
		ClaimReply claimed = consumer.claim(1);
		NewMessage second = this.source.message("second", TestQueue.ordered("key"));
		Settlement done = Settlement.done(claimed.messages().get(0).uid(), claimed.messages().get(0).claim(),
				completion(this.source, second));
		assertThat(consumer.claim(1, done).messages()).extracting(TestQueue::payload).containsExactly("second");
	}

	@Test
	void anIdAndAKeyAreKeptInOneStep() {
		this.target.sender().send(this.target.messageWithId("id", "first"));
		TestQueue.Consumer consumer = holding("work");
		assertThat(consumer.claim(0, done(this.target.messageWithId("id", "duplicate"))).hasNotes()).isFalse();
		consumer = holding("work");
		assertThat(consumer.claim(0, done(this.target.message("keyed", TestQueue.ordered("k")))).hasNotes()).isFalse();
		assertThat(this.target.consumer().claim(10).messages()).extracting(TestQueue::payload)
			.containsExactly("first", "keyed");
	}

	@Test
	void oneInstanceRelaysAtATimeInOrder() {
		TestQueue.Consumer consumer = this.source.consumer();
		this.source.sender().send(this.source.messages(30));
		List<ClaimReply.Message> claimed = consumer.claim(30).messages();
		consumer.claim(0,
				claimed.stream()
					.map((message) -> Settlement.done(message.uid(), 1,
							completion(this.target, this.target.message("next of " + TestQueue.payload(message)))))
					.toList());
		OutboxScript.Reply first = outbox("one", null);
		assertThat(first.count()).isEqualTo(30);
		assertThat(first.notes())
			.extracting((note) -> TestQueue
				.payload(new ClaimReply.Message("", 1, 0, 0, false, NextMessage.read(note).message().envelope())))
			.startsWith("next of m0", "next of m1")
			.hasSize(30);
		OutboxScript.Reply other = outbox("two", null);
		assertThat(other.busy()).isPositive().isLessThanOrEqualTo(LEASE);
		assertThat(other.notes()).isEmpty();
		OutboxScript.Reply rest = outbox("one", first.notes().get(9).id(), first.notes().get(0));
		assertThat(rest.count()).isEqualTo(29);
		assertThat(rest.notes()).hasSize(20).first().extracting(OutboxNote::id).isEqualTo(first.notes().get(10).id());
	}

	@Test
	void anOutboxIsReadInPartsOfBoundedSize() {
		TestQueue.Consumer consumer = this.source.consumer();
		this.source.sender().send(this.source.messages(5));
		consumer.claim(0,
				consumer.claim(5)
					.messages()
					.stream()
					.map((message) -> Settlement.done(message.uid(), 1,
							completion(this.target, this.target.message("x".repeat(1000)))))
					.toList());
		assertThat(TestQueue.get(new OutboxScript(store.runner()).run(this.source.name,
				new OutboxScript.Request("one", 1, LEASE, null, null, 2500, List.of())))
			.notes()).hasSize(3);
	}

	@Test
	void aQueueIsNotEmptyWhileItsOutboxIsNot() {
		TestQueue.Consumer consumer = holding("work");
		consumer.claim(0, done(this.target.message("next")));
		AdminScripts admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer,
				ReplayMemory.NONE, new RedisAvailability(timer));
		assertThat(TestQueue.get(new DeleteScript(admin).run(this.source.name, false))).isFalse();
		assertThat(TestQueue.get(new DeleteScript(admin).run(this.source.name, true))).isTrue();
	}

	@Test
	void theNextMessageIsSentAlthoughRedisHasForgottenTheOneThatWasAcknowledged() {
		this.target.sender();
		String forgotten = this.source.message("work").uid();
		TestQueue.Consumer consumer = this.source.consumer();
		String lane = resume(consumer.lane, new ResumeScript.Holding(forgotten, 1, true, true, false));
		NewMessage next = this.target.message("next");
		Settlement done = Settlement.done(forgotten, 1, completion(this.target, next)).repeated();
		ClaimRequest request = TestQueue.request(lane, 2, LEASE, 0, 1000, false, Duration.ZERO, List.of(done));
		assertThat(TestQueue.get(store.claim().run(this.source.name, request)).refused()).isEmpty();
		assertThat(held(this.target, next)).isTrue();
	}

	@Test
	void theNextMessageIsNotSentAgainIfItIsDoneOrInHand() {
		this.target.sender();
		NewMessage done = this.target.message("done");
		NewMessage inHand = this.target.message("in hand");
		resumeTarget(new ResumeScript.Holding(done.uid(), 1, true), new ResumeScript.Holding(inHand.uid(), 1, false));
		for (NewMessage next : List.of(done, inHand)) {
			TestQueue.Consumer consumer = holding("work");
			assertThat(consumer.claim(0, done(next).repeated()).refused()).isEmpty();
		}
		assertThat(held(this.target, done)).isFalse();
		assertThat(held(this.target, inHand)).isTrue();
		assertThat(this.target.consumer().claim(10).messages()).isEmpty();
	}

	@Test
	void whatIsInHandIsNotHandedOverToAnother() {
		NewMessage inHand = this.target.message("in hand");
		String lane = this.target.sender().lane;
		resumeTarget(new ResumeScript.Holding(inHand.uid(), 1, false));
		TestQueue.get(store.sends()
			.send()
			.run(this.target.name,
					new SendRequest(lane, 1, false, List.of(inHand), null, null, false, Duration.ofMinutes(1), null)));
		assertThat(held(this.target, inHand)).isTrue();
		assertThat(this.target.consumer().claim(10).messages()).isEmpty();
	}

	@Test
	void aLongMessageToTheOwnQueueCountsForTheSameClaim() {
		TestQueue.Consumer consumer = holding("work");
		this.source.sender().send(this.source.messages(2));
		Settlement done = done(this.source, this.source.message("x".repeat(20_000)));
		ClaimRequest request = TestQueue.request(consumer.lane, 2, LEASE, 3, 16_000, false, Duration.ZERO,
				List.of(done));
		assertThat(TestQueue.get(store.claim().run(this.source.name, request)).messages())
			.extracting(TestQueue::payload)
			.containsExactly("m0", "m1");
	}

	@Test
	void aQueueIsOccupiedWhileItsOutboxIs() {
		TestQueue.Consumer consumer = holding("work");
		consumer.claim(0, done(this.target.message("next")));
		assertThat(TestQueue.get(new OccupiedScript(store.runner()).run(List.of(this.target.name, this.source.name))))
			.containsExactly(this.source.name);
	}

	private void resumeTarget(ResumeScript.Holding... holdings) {
		String lane = store.newLane();
		TestQueue.get(new LaneScript(store).open(this.target.name, lane, LEASE, 0));
		TestQueue.get(new ResumeScript(store.runner()).run(this.target.name,
				new ResumeScript.Request(lane, 1, LEASE, store.newLane(), true, true, List.of(holdings))));
	}

	private String resume(String former, ResumeScript.Holding... holdings) {
		String lane = store.newLane();
		TestQueue.get(new LaneScript(store).open(this.source.name, lane, LEASE, 0));
		TestQueue.get(new ResumeScript(store.runner()).run(this.source.name,
				new ResumeScript.Request(lane, 1, LEASE, former, true, true, List.of(holdings))));
		return lane;
	}

	/**
	 * Whether a queue has the message.
	 */
	private static boolean held(TestQueue queue, NewMessage message) {
		return redis.client().getMap(queue.key("messages"), StringCodec.INSTANCE).containsKey(message.uid());
	}

	private String uid = "";

	/**
	 * One that holds a message under its claim 1.
	 */
	private TestQueue.Consumer holding(String text) {
		NewMessage message = this.source.message(text);
		this.uid = message.uid();
		this.source.sender().send(message);
		TestQueue.Consumer consumer = this.source.consumer();
		assertThat(consumer.claim(1).messages()).hasSize(1);
		return consumer;
	}

	private TestQueue.Consumer sleepingConsumer() {
		this.target.sender();
		TestQueue.Consumer consumer = this.target.consumer();
		consumer.claimOrSleep(Duration.ofMinutes(1));
		return consumer;
	}

	private Settlement done(NewMessage next) {
		return done(this.target, next);
	}

	private Settlement done(TestQueue queue, NewMessage next) {
		return Settlement.done(this.uid, 1, completion(queue, next));
	}

	private static Completion completion(TestQueue queue, NewMessage next) {
		return new Completion(List.of(new NextMessage(queue.name, next, null)), (counted) -> {
		});
	}

	private OutboxScript.Reply outbox(String instance, String after, OutboxNote... relayed) {
		return TestQueue.get(new OutboxScript(store.runner()).run(this.source.name, new OutboxScript.Request(instance,
				1, LEASE, after, null, 1_000_000, List.of(relayed).stream().map(OutboxNote::id).toList())));
	}

	private long exists(String... names) {
		return redis.client()
			.getKeys()
			.countExists(List.of(names).stream().map(this.source::key).toArray(String[]::new));
	}

}
