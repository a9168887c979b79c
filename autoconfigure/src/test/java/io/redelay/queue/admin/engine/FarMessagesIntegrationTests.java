package io.redelay.queue.admin.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueCalendar;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.UnsoundQueues;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RMap;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.RScript;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for messages that are packed as their time is far away: whatever is done with
 * scheduled messages works, and none is lost, early or there twice.
 */
class FarMessagesIntegrationTests {

	private static final Supplier<CompletableFuture<List<String>>> NONE = () -> CompletableFuture
		.completedFuture(List.of());

	private static final Duration FAR = Duration.ofDays(20);

	private static final Duration NOW = Duration.ZERO;

	/**
	 * Makes an envelope too long to be packed.
	 */
	private static final String BIG = "x".repeat(PackedMessages.MAX_ENVELOPE);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String LIMITED = TestRedis.queue();

	private static final String HANDLED = TestRedis.queue();

	private static final String SPREAD = TestRedis.queue();

	private static final Handler handler = new Handler();

	private static ListenerApplication application;

	private static QueueAdmin admin;

	private static AdminScripts store;

	private final String queue = TestRedis.queue();

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.with("handled", HANDLED)
			.with("redelay.queue.queues[" + LIMITED + "].max-length", 30)
			.with("redelay.queue.queues[" + SPREAD + "].partitions", "3")
			.bean(handler)
			.start();
		admin = application.bean(QueueAdmin.class);
		store = application.bean(AdminScripts.class);
	}

	@AfterAll
	static void close() {
		application.close();
	}

	@Test
	void packedMessagesAreCountedFoundBrowsedAndSearched() {
		send(this.queue, 5, (i) -> message(i).id("near" + i).delay(Duration.ofMinutes(10).plusMillis(i)));
		send(this.queue, 450, (i) -> message(i).id("far" + i).delay(FAR.plusSeconds(i)));
		List<QueuedMessage> before = browse(this.queue, 500);
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(450);
		assertThat(bodies(this.queue)).isEqualTo(5);
		QueueInfo info = admin.queues().info(this.queue);
		assertThat(info.scheduled()).isEqualTo(455);
		assertThat(info.ready()).isZero();
		assertThat(info.nextDue()).isEqualTo(before.get(0).dueAt());
		for (int size : List.of(60, 100, 500)) {
			assertThat(browse(this.queue, size)).usingRecursiveFieldByFieldElementComparator()
				.containsExactlyElementsOf(before);
		}
		for (int i : List.of(0, 199, 200, 449)) {
			QueuedMessage expected = before.get(5 + i);
			assertThat(admin.messages().find(this.queue, "far" + i)).get()
				.usingRecursiveComparison()
				.isEqualTo(expected);
			assertThat(admin.messages().find(this.queue, expected.uid())).get()
				.extracting(QueuedMessage::id)
				.isEqualTo("far" + i);
		}
		assertThat(search(MessageFilter.all())).hasSize(455);
		assertThat(search(MessageFilter.all().states(MessageState.SCHEDULED))).hasSize(455);
		assertThat(search(MessageFilter.all().states(MessageState.READY, MessageState.IN_FLIGHT))).isEmpty();
		assertThat(search(MessageFilter.all().dueAfter(before.get(5 + 440).dueAt()))).hasSize(10).contains("far440");
		Instant until = before.get(5 + 300).dueAt();
		assertThat(search(MessageFilter.all().states(MessageState.SCHEDULED).dueBefore(until))).hasSize(305);
		assertSound(this.queue);
	}

	@Test
	void whatComesNearIsWhatWasPacked() {
		send(this.queue, 300,
				(i) -> message(i).delay(FAR.plusMillis(i)).priority(i % 10).timeToLive(Duration.ofDays(1)));
		Map<String, String> bodies = body(this.queue).readAllMap();
		Map<String, Double> dues = scores(this.queue, "scheduled");
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(300);
		assertThat(scores(this.queue, "scheduled")).isEmpty();
		bringNear(this.queue);
		assertThat(body(this.queue).readAllMap()).isEqualTo(bodies);
		assertThat(scores(this.queue, "scheduled")).isEqualTo(dues);
		assertNothingIsPacked(this.queue);
		assertSound(this.queue);
	}

	@Test
	void packedMessagesAreCancelledWhereTheyAre() {
		send(this.queue, 40, (i) -> message(i).id("m" + i).tag("t" + i % 2).delay(FAR.plusSeconds(i)));
		pack(this.queue);
		assertThat(admin.messages().cancel(this.queue, "m0").done()).isTrue();
		assertThat(admin.messages().cancel(this.queue, "m0").done()).isFalse();
		assertThat(admin.messages().delete(this.queue, "m1").done()).isTrue();
		assertThat(admin.messages().cancelAll(this.queue, List.of("m2", "m3", "nothing")))
			.extracting(CommandOutcome::done)
			.containsExactly(true, true, false);
		assertThat(packed(this.queue)).isEqualTo(36);
		assertThat(bodies(this.queue)).isZero();
		assertThat(admin.messages().find(this.queue, "m0")).isEmpty();
		assertThat(browse(this.queue, 10)).hasSize(36).extracting(QueuedMessage::id).startsWith("m4");
		assertThat(search(MessageFilter.all())).hasSize(36).doesNotContain("m0", "m1", "m2", "m3");
		assertThat(admin.messages().findByTag(this.queue, "t0", null, 100).messages()).hasSize(18)
			.allMatch((message) -> message.payloadAsText().startsWith("text "));
		assertSound(this.queue);
		assertThat(admin.messages().cancelByTag(this.queue, "t0")).isEqualTo(18);
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(18);
		assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(18);
		assertSound(this.queue);
	}

	@Test
	void aQueueWhosePackedMessagesAreAllCancelledKeepsNothing() {
		send(this.queue, 30, (i) -> message(i).id("m" + i).tag("t").delay(FAR));
		pack(this.queue);
		assertThat(admin.messages().cancelByTag(this.queue, "t")).isEqualTo(30);
		assertNothingIsPacked(this.queue);
		assertThat(redis.client()
			.getKeys()
			.countExists(key(this.queue, "messages"), key(this.queue, "keys"), key(this.queue, "ids"),
					key(this.queue, "tags")))
			.isZero();
		admin.control().delete(this.queue);
	}

	@Test
	void commandsThatNeedTheEnvelopeBringItsChunkNear() {
		send(this.queue, 60, (i) -> message(i).id("m" + i).delay(FAR.plusSeconds(i)));
		pack(this.queue);
		Instant due = Instant.now().plus(Duration.ofDays(40)).truncatedTo(ChronoUnit.MILLIS);
		assertThat(admin.messages().runNow(this.queue, "m3").done()).isTrue();
		assertThat(admin.messages().rescheduleAt(this.queue, "m4", due).done()).isTrue();
		pack(this.queue);
		assertThat(packed(this.queue)).isGreaterThan(20);
		assertThat(admin.messages().change(this.queue, "m5", MessageChange.none().payload("other")).done()).isTrue();
		pack(this.queue);
		assertThat(admin.messages().bury(this.queue, "m6", "no need").done()).isTrue();
		assertThat(admin.messages().find(this.queue, "m3")).get()
			.extracting(QueuedMessage::state)
			.isEqualTo(MessageState.READY);
		assertThat(admin.messages().find(this.queue, "m4")).get()
			.extracting((message) -> message.dueAt().toEpochMilli())
			.isEqualTo(due.toEpochMilli());
		assertThat(admin.messages().find(this.queue, "m5")).get()
			.extracting(QueuedMessage::payloadAsText)
			.isEqualTo("other");
		assertThat(admin.messages().find(this.queue, "m6")).get()
			.extracting(QueuedMessage::state)
			.isEqualTo(MessageState.DEAD);
		QueueInfo info = admin.queues().info(this.queue);
		assertThat(List.of(info.scheduled(), info.ready(), info.dead())).containsExactly(58L, 1L, 1L);
		assertSound(this.queue);
	}

	@Test
	void commandsOnManyChunksAreAllCarriedOut() {
		for (int chunk = 0; chunk < 12; chunk++) {
			Duration delay = FAR.multipliedBy(1L << chunk / 2)
				.plus(FAR.multipliedBy((1L << chunk / 2) * (chunk % 2)).dividedBy(2));
			int first = chunk * 20;
			send(this.queue, 20, (i) -> message(i).id("m" + (first + i)).delay(delay));
		}
		pack(this.queue);
		assertThat(scores(this.queue, "far")).hasSize(12);
		BulkJob job = ended(admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.RESCHEDULE, MessageFilter.all()).delay(Duration.ofHours(2))));
		assertThat(List.of(job.seen(), job.done())).containsExactly(240L, 240L);
		assertNothingIsPacked(this.queue);
		assertThat(browse(this.queue, 500))
			.allMatch((message) -> message.dueAt().isBefore(Instant.now().plus(Duration.ofHours(3))));
		assertSound(this.queue);
	}

	@Test
	void aBulkJobCancelsPackedMessages() {
		send(this.queue, 700, (i) -> message(i).delay(FAR.plusSeconds(i)).header("tenant", "t" + i % 2));
		pack(this.queue);
		BulkJob job = ended(admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all().header("tenant", "t1"))));
		assertThat(List.of(job.seen(), job.done())).containsExactly(700L, 350L);
		assertThat(packed(this.queue)).isEqualTo(350);
		assertThat(search(MessageFilter.all().header("tenant", "t0"))).hasSize(350);
		assertSound(this.queue);
	}

	@Test
	void anIdOfAPackedMessageIsTaken() {
		List<SendResult> sent = send(this.queue, 30, (i) -> message(i).id("m" + i).delay(FAR.plusSeconds(i)));
		pack(this.queue);
		SendResult again = application.queues().send(message(1).id("m7"));
		assertThat(again.duplicate()).isTrue();
		assertThat(again.due()).isEqualTo(sent.get(7).due());
		List<SendResult> several = application.queues()
			.sendAll(List.of(message(1).id("m8").priority(3), message(2).id("new").delay(FAR)));
		assertThat(several).extracting(SendResult::duplicate).containsExactly(true, false);
		assertThat(packed(this.queue)).isEqualTo(30);
		assertThat(admin.messages().cancel(this.queue, "m7").done()).isTrue();
		assertThat(application.queues().send(message(1).id("m7")).duplicate()).isFalse();
		assertSound(this.queue);
	}

	@Test
	void packedMessagesCountForTheLengthOfTheQueue() {
		send(LIMITED, 25, (i) -> message(i, LIMITED).id("m" + i).delay(FAR.plusSeconds(i)));
		pack(LIMITED);
		assertThat(packed(LIMITED)).isEqualTo(25);
		send(LIMITED, 5, (i) -> message(i, LIMITED));
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> application.queues().send(message(1, LIMITED)));
		assertThat(application.queues().send(message(1, LIMITED).id("m1")).duplicate()).isTrue();
		admin.messages().cancel(LIMITED, "m1");
		application.queues().send(message(1, LIMITED));
		assertThat(admin.queues().info(LIMITED).ready()).isEqualTo(6);
	}

	@Test
	void aPurgeRemovesPackedMessages() {
		send(this.queue, 10, (i) -> message(i).delay(Duration.ofMinutes(5)));
		send(this.queue, 3_000, (i) -> message(i).delay(FAR.plusMillis(i)).tag("t"));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(3_000);
		assertThat(admin.control().purge(this.queue, MessageState.SCHEDULED)).isEqualTo(3_010);
		assertNothingIsPacked(this.queue);
		assertThat(admin.queues().info(this.queue).scheduled()).isZero();
		assertSound(this.queue);
	}

	@Test
	void aDeletedQueueLeavesNoPackedMessages() {
		send(this.queue, 30, (i) -> message(i).id("m" + i).delay(FAR));
		pack(this.queue);
		assertThatExceptionOfType(QueueException.class).isThrownBy(() -> admin.control().delete(this.queue));
		admin.control().deleteWithMessages(this.queue);
		assertNothingIsPacked(this.queue);
	}

	@Test
	void messagesThatChangeWhileTheyArePackedStayNear() {
		send(this.queue, 30, (i) -> message(i).id("m" + i).delay(FAR.plusSeconds(i)));
		FarScript far = store.far();
		List<PackedMessages.Entry> found = far.look(this.queue, null, Duration.ofHours(1)).join().messages();
		assertThat(found).hasSize(30);
		assertThat(admin.messages().cancel(this.queue, "m3").done()).isTrue();
		store.names().registerFar(this.queue).join();
		assertThat(far.pack(this.queue, found, NOW).join()).isZero();
		assertThat(far.pack(this.queue, found.subList(4, 30), NOW).join()).isEqualTo(26);
		assertThat(far.pack(this.queue, found.subList(4, 30), NOW).join()).isZero();
		admin.messages().change(this.queue, "m0", MessageChange.none().payload("other"));
		admin.messages().reschedule(this.queue, "m1", FAR);
		assertThat(far.pack(this.queue, found.subList(0, 1), NOW).join()).isZero();
		assertThat(far.pack(this.queue, found.subList(1, 2), NOW).join()).isZero();
		assertThat(packed(this.queue)).isEqualTo(26);
		assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(29);
		assertSound(this.queue);
	}

	@Test
	void aChunkComesNearOnce() {
		send(this.queue, 30, (i) -> message(i).id("m" + i).delay(FAR.plusSeconds(i)));
		pack(this.queue);
		FarScript far = store.far();
		FarScript.Chunk chunk = far.chunks(this.queue, true, 10, null, null).join().chunks().get(0);
		assertThat(far.thaw(this.queue, chunk).join()).isEqualTo(FarScript.Thawed.NEAR);
		assertThat(far.thaw(this.queue, chunk).join()).isEqualTo(FarScript.Thawed.GONE);
		admin.messages().cancel(this.queue, "m0");
		pack(this.queue);
		FarScript.Chunk other = far.chunks(this.queue, true, 10, null, null).join().chunks().get(0);
		assertThat(far.thaw(this.queue, new FarScript.Chunk(other.number(), chunk.dueMillis(), 30, 0, chunk.packed()))
			.join()).as("what was read of another one with its number").isEqualTo(FarScript.Thawed.GONE);
		assertThat(packed(this.queue)).isEqualTo(29);
		assertThat(far
			.thaw(this.queue,
					new FarScript.Chunk(other.number(), other.dueMillis(), 29, 0,
							PackedMessages.pack(PackedMessages.unpack(other.packed()).subList(0, 5))))
			.join()).isEqualTo(FarScript.Thawed.GONE);
		assertSound(this.queue);
	}

	@Test
	@UnsoundQueues("a chunk is damaged")
	@ExtendWith(CapturedLog.Extension.class)
	void aChunkThatCannotBeReadIsKeptAndReported(CapturedLog log) {
		for (int chunk = 0; chunk < 3; chunk++) {
			Duration delay = FAR.plusDays(20L * chunk);
			int first = chunk * 20;
			send(this.queue, 20, (i) -> message(i).id("m" + (first + i)).delay(delay));
		}
		pack(this.queue);
		RMap<byte[], byte[]> chunks = redis.client().getMap(key(this.queue, "far:chunks"), ByteArrayCodec.INSTANCE);
		byte[] number = bytes(store.far().chunks(this.queue, false, 1, null, null).join().chunks().get(0).number());
		byte[] whole = chunks.get(number);
		byte[] damaged = whole.clone();
		damaged[damaged.length / 2] ^= 0x55;
		chunks.put(number, damaged);
		bringNear(this.queue);
		bringNear(this.queue);
		assertThat(log.entriesWith("of the queue '" + this.queue + "' are kept and cannot be delivered or read: "))
			.as("once in some minutes")
			.hasSize(1);
		assertThat(packed(this.queue)).isEqualTo(20);
		assertThat(bodies(this.queue)).isEqualTo(40);
		assertThat(admin.queues().check(this.queue).problems()).singleElement()
			.extracting(QueueCheck.Problem::kind)
			.isEqualTo(QueueCheck.Kind.NO_BODY);
		CommandOutcome kept = admin.messages().reschedule(this.queue, "m1", Duration.ZERO);
		assertThat(kept.done()).isFalse();
		assertThat(kept.state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(kept.reason()).isEqualTo("it is packed, and cannot be read now: see the log");
		assertThat(admin.messages().find(this.queue, "m1")).isEmpty();
		assertThat(admin.messages().cancel(this.queue, "m1").done()).isTrue();
		byte[] later = whole.clone();
		later[0] = 9;
		chunks.put(number, later);
		assertThat(admin.queues().check(this.queue).problems()).singleElement()
			.extracting(QueueCheck.Problem::detail)
			.asString()
			.contains("its format is 9");
		chunks.put(number, whole);
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(59);
		assertNothingIsPacked(this.queue);
	}

	@Test
	@UnsoundQueues("the order of chunks is removed")
	void theCheckFindsWhatIsWrongWithPackedMessages() {
		send(this.queue, 30, (i) -> message(i).delay(FAR));
		pack(this.queue);
		assertSound(this.queue);
		redis.client().getScoredSortedSet(key(this.queue, "far"), StringCodec.INSTANCE).clear();
		assertThat(admin.queues().check(this.queue).problems()).extracting(QueueCheck.Problem::kind)
			.contains(QueueCheck.Kind.NO_BODY, QueueCheck.Kind.ORPHAN);
	}

	@Test
	@UnsoundQueues("a chunk says a wrong number of messages")
	void theCheckFindsAChunkThatSaysAWrongNumber() {
		send(this.queue, 30, (i) -> message(i).delay(FAR));
		pack(this.queue);
		RMap<String, String> chunks = redis.client().getMap(key(this.queue, "far:chunks"), StringCodec.INSTANCE);
		String number = chunks(this.queue).get(0).number();
		String counts = chunks.get("n" + number);
		chunks.put("n" + number, counts.replaceFirst("^30 ", "31 "));
		assertThat(details()).contains("31 packed messages are recorded, and 30 are there");
		chunks.put("n" + number, counts);
		assertSound(this.queue);
		chunks.put("n" + number, counts.replaceFirst("^30 ", "12 "));
		assertThat(details()).contains("12 packed messages are recorded, and 30 are there; they were brought near");
		assertThat(bodies(this.queue)).isEqualTo(30);
		assertNothingIsPacked(this.queue);
		assertSound(this.queue);
	}

	@Test
	@UnsoundQueues("there is a number of packed messages and no packed message")
	void theCheckFindsANumberOfPackedMessagesWhereThereIsNone() {
		send(this.queue, 1, (i) -> message(i).delay(FAR));
		redis.client().getMap(key(this.queue, "meta"), StringCodec.INSTANCE).put("far", "5 7 1 1");
		assertThat(details())
			.containsExactly("5 packed messages are recorded, and 0 are there; they were counted again");
		assertSound(this.queue);
	}

	private List<String> details() {
		return admin.queues().check(this.queue).problems().stream().map(QueueCheck.Problem::detail).toList();
	}

	/**
	 * Each counts them, and one of them writes what it has counted.
	 */
	@Test
	@UnsoundQueues("the number of packed messages is removed")
	void chunksComeNearAtOnceWhoseNumberOfMessagesIsLost() {
		send(this.queue, 300, (i) -> message(i).delay(FAR.plusSeconds(i)));
		pack(this.queue);
		List<FarScript.Chunk> chunks = store.far().chunks(this.queue, true, 10, null, null).join().chunks();
		assertThat(chunks).hasSizeGreaterThan(2);
		redis.client().getMap(key(this.queue, "meta"), StringCodec.INSTANCE).fastRemove("far");
		List<CompletableFuture<FarScript.Thawed>> moves = chunks.stream()
			.map((chunk) -> store.far().thaw(this.queue, chunk))
			.toList();
		assertThat(moves).allMatch((move) -> move.join() == FarScript.Thawed.NEAR);
		assertThat(bodies(this.queue)).isEqualTo(300);
		assertNothingIsPacked(this.queue);
		assertSound(this.queue);
	}

	@Test
	void messagesOfWhichMoreIsLookedAtStayNear() {
		send(this.queue, 25, (i) -> OutboundMessage.to(this.queue, Map.of("n", i))
			.deduplicate(Deduplication.aggregate("d" + i, FAR, 9)));
		send(this.queue, 25, (i) -> message(i).timeToLive(Duration.ofDays(1)).delay(FAR));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(25);
		assertThat(bodies(this.queue)).isEqualTo(25);
		assertSound(this.queue);
	}

	@Test
	void aNewerMessageReplacesAPackedOne() {
		send(this.queue, 25,
				(i) -> message(i).deduplicate(Deduplication.debounce("d" + i, FAR, FAR.multipliedBy(2))).tag("t"));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(25);
		SendResult newer = application.queues()
			.send(message(77).deduplicate(Deduplication.debounce("d7", FAR, FAR.multipliedBy(2))));
		assertThat(newer.outcome()).isEqualTo(SendOutcome.REPLACED);
		assertThat(packed(this.queue)).isEqualTo(24);
		assertThat(bodies(this.queue)).isOne();
		assertSound(this.queue);
		send(this.queue, 25,
				(i) -> message(100 + i).deduplicate(Deduplication.debounce("d" + i, FAR, FAR.multipliedBy(2))));
		assertNothingIsPacked(this.queue);
		assertThat(browse(this.queue, 100)).hasSize(25).allMatch((each) -> each.payloadAsText().length() == 8);
		assertSound(this.queue);
	}

	@Test
	void fewMessagesThatAreDueAtAboutTheSameTimeStayNear() {
		send(this.queue, 19, (i) -> message(i).delay(FAR.plusSeconds(i)));
		send(this.queue, 19, (i) -> message(i).delay(FAR.multipliedBy(2)));
		pack(this.queue);
		assertThat(packed(this.queue)).isZero();
		send(this.queue, 1, (i) -> message(i).delay(FAR));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(20);
	}

	@Test
	void onlyWhatIsFarAwayIsPackedAndOnlyWhatIsDueSoonComesNear() {
		send(this.queue, 25, (i) -> message(i).delay(Duration.ofMinutes(59)));
		send(this.queue, 25, (i) -> message(i).delay(Duration.ofMinutes(61)));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(25);
		// They were packed to come near half an hour before their time.
		sweeper(this.queue, Duration.ofHours(3)).bringNear(this.queue).join();
		assertThat(packed(this.queue)).isEqualTo(25);
		bringNear(this.queue);
		packToComeNear(this.queue, Duration.ofHours(1));
		assertThat(packed(this.queue)).isEqualTo(50);
		sweeper(this.queue, Duration.ZERO).bringNear(this.queue).join();
		assertThat(packed(this.queue)).as("in one chunk, of which the first is due in 59 minutes").isZero();
	}

	@Test
	void theCalendarCountsPackedMessages() {
		send(this.queue, 30, (i) -> message(i).delay(Duration.ofHours(30).plusSeconds(i)));
		send(this.queue, 5, (i) -> message(i).delay(Duration.ofHours(2)));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(30);
		QueueCalendar calendar = admin.queues().calendar(this.queue, QueueCalendar.Span.WEEK, ZoneOffset.UTC);
		assertThat(calendar.bars().stream().mapToLong(QueueCalendar.Bar::due).sum()).isEqualTo(35);
		assertThat(calendar.later()).isZero();
		calendar = admin.queues().calendar(this.queue, QueueCalendar.Span.DAY, ZoneOffset.UTC);
		assertThat(calendar.bars().stream().mapToLong(QueueCalendar.Bar::due).sum()).isEqualTo(5);
		assertThat(calendar.later()).isEqualTo(30);
	}

	@Test
	void allPartitionsArePacked() {
		send(SPREAD, 300, (i) -> message(i, SPREAD).id("m" + i).delay(FAR.plusSeconds(i)));
		for (String partition : List.of(SPREAD, SPREAD + "~1", SPREAD + "~2")) {
			sweeper(SPREAD, Duration.ofHours(1)).pack(partition).join();
			assertThat(packed(partition)).isPositive();
		}
		assertThat(admin.queues().info(SPREAD).scheduled()).isEqualTo(300);
		assertThat(browse(SPREAD, 70)).hasSize(300);
		List<String> found = new ArrayList<>();
		String cursor = null;
		do {
			SearchPage page = admin.messages().search(SPREAD, MessageFilter.all(), cursor, 90);
			page.messages().forEach((message) -> found.add(message.id()));
			cursor = page.cursor();
		}
		while (cursor != null);
		assertThat(found).hasSize(300).doesNotHaveDuplicates();
		assertThat(admin.messages().cancel(SPREAD, "m123").done()).isTrue();
		assertSound(SPREAD);
	}

	@Test
	void manyBucketsAreFilledAndEmptied() {
		send(this.queue, 5_000, (i) -> message(i).id("m" + i).delay(FAR.plusMillis(i)));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(5_000);
		assertThat(head(this.queue)[2]).isEqualTo((5_000 + 15) / 16);
		assertSound(this.queue);
		for (int i = 0; i < 5_000; i += 97) {
			assertThat(admin.messages().cancel(this.queue, "m" + i).done()).isTrue();
		}
		assertThat(packed(this.queue)).isEqualTo(5_000 - 52);
		assertSound(this.queue);
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(5_000 - 52);
		assertNothingIsPacked(this.queue);
		assertSound(this.queue);
	}

	@Test
	void allThatIsDueInTheSameMillisecondIsPacked() {
		Instant due = Instant.now().plus(FAR);
		send(this.queue, 650,
				(i) -> message((i % 7 == 0) ? 1_000_000 : i).header("big", (i % 7 == 0) ? BIG : "").dueAt(due));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(550); // 7 of the others are too few
		assertThat(store.far().look(this.queue, null, NOW).join().messages()).hasSize(7)
			.allMatch((each) -> each.envelope().length < 1_000);
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(650);
	}

	@Test
	void aListenerGetsWhatComesNearAtItsTime() {
		long due = System.currentTimeMillis() + 1_500;
		send(HANDLED, 25, (i) -> message(i, HANDLED).dueAt(Instant.ofEpochMilli(due)));
		sweeper(HANDLED, Duration.ofMillis(1)).pack(HANDLED).join();
		bringNear(HANDLED);
		assertNothingIsPacked(HANDLED);
		Awaitility.await().until(() -> handler.handled.size() == 25);
		assertThat(new HashSet<>(handler.handled)).hasSize(25);
		assertThat(handler.first).isGreaterThanOrEqualTo(due);
	}

	@Test
	void aSweepBringsNearWhatOthersHavePacked() {
		send(this.queue, 25, (i) -> message(i).delay(Duration.ofMinutes(20)));
		packToComeNear(this.queue, Duration.ofHours(1));
		assertThat(packed(this.queue)).isEqualTo(25);
		try (FarSweeper other = new FarSweeper(store, new FarSettings(Duration.ZERO, Map.of()), NONE, "application",
				store.replayMemory().scheduler(), Duration.ofMillis(50))) {
			other.start();
			Awaitility.await().until(() -> {
				redis.client().getKeys().delete("redelay:turn:near"); // which the
																		// application may
																		// have
				return head(this.queue)[0] == 0;
			});
		}
		assertThat(bodies(this.queue)).isEqualTo(25);
	}

	@Test
	void aCheckFindsAQueueThatIsNotInTheListOfThoseWithPackedMessages() {
		send(this.queue, 25, (i) -> message(i).delay(FAR));
		pack(this.queue);
		assertSound(this.queue);
		redis.client().getSet("redelay:far", StringCodec.INSTANCE).remove(this.queue);
		assertThat(admin.queues().check(this.queue).problems()).singleElement()
			.satisfies((problem) -> assertThat(problem.kind()).isEqualTo(QueueCheck.Kind.STRANDED));
		store.names().registerFar(this.queue).join();
		assertSound(this.queue);
	}

	void aCommandBringsOnlyItsMessageNear() {
		List<SendResult> sent = send(this.queue, 60,
				(i) -> ((i < 50) ? message(i).id("m" + i) : message(i)).delay(FAR));
		pack(this.queue);
		FarScript.Chunk before = store.far().chunks(this.queue, false, 1, null, null).join().chunks().get(0);
		assertThat(admin.messages().reschedule(this.queue, "m3", Duration.ofDays(40)).done()).isTrue();
		assertThat(packed(this.queue)).isEqualTo(59);
		assertThat(admin.messages().change(this.queue, "m4", MessageChange.none().payload("other")).done()).isTrue();
		assertThat(admin.messages().bury(this.queue, "m5", "no need").done()).isTrue();
		assertThat(admin.messages().runNow(this.queue, sent.get(55).id()).done()).isTrue();
		assertThat(packed(this.queue)).isEqualTo(56);
		assertThat(bodies(this.queue)).isEqualTo(3);
		assertThat(store.far().chunks(this.queue, false, 9, null, null).join().chunks()).singleElement()
			.extracting(FarScript.Chunk::number, FarScript.Chunk::left)
			.containsExactly(before.number(), 56);
		assertSound(this.queue);
		bringNear(this.queue);
		assertNothingIsPacked(this.queue);
		assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(58);
		assertThat(admin.messages().find(this.queue, "m4")).get()
			.extracting(QueuedMessage::payloadAsText)
			.isEqualTo("other");
		assertSound(this.queue);
	}

	@Test
	void chunksOfWhichMostIsGoneArePackedTogether() {
		send(this.queue, 100, (i) -> message(i).id("m" + i).delay(FAR));
		send(this.queue, 50, (i) -> message(i).delay(FAR.multipliedBy(2)));
		pack(this.queue);
		cancelOfTwoChunks(0, 37);
		pack(this.queue);
		assertThat(chunks(this.queue)).extracting(FarScript.Chunk::left, FarScript.Chunk::had)
			.containsExactly(tuple(13, 50), tuple(13, 50), tuple(50, 50));
		cancelOfTwoChunks(37, 38);
		pack(this.queue);
		assertThat(chunks(this.queue)).extracting(FarScript.Chunk::left, FarScript.Chunk::had)
			.containsExactly(tuple(24, 24), tuple(50, 50));
		cancelOfTwoChunks(38, 46);
		admin.messages().cancel(this.queue, "m46");
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(57);
		admin.messages().cancel(this.queue, "m96");
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(50);
		assertThat(bodies(this.queue)).isEqualTo(6);
		assertSound(this.queue);
	}

	private void cancelOfTwoChunks(int from, int to) {
		for (int i = from; i < to; i++) {
			admin.messages().cancel(this.queue, "m" + i);
			admin.messages().cancel(this.queue, "m" + (50 + i));
		}
	}

	@Test
	void whatCannotBePackedIsNotLookedAtEachTime() {
		FarSweeper sweeper = sweeper(this.queue, Duration.ofHours(1));
		send(this.queue, 19, (i) -> message(i).delay(FAR));
		sweeper.pack(this.queue).join();
		sweeper.pack(this.queue).join();
		send(this.queue, 1, (i) -> message(i).delay(FAR));
		sweeper.pack(this.queue).join();
		assertThat(packed(this.queue)).as("one look is left out").isZero();
		sweeper.pack(this.queue).join();
		assertThat(packed(this.queue)).isEqualTo(20);
		send(this.queue, 20, (i) -> message(i).delay(FAR));
		sweeper.pack(this.queue).join();
		assertThat(packed(this.queue)).isEqualTo(40);
	}

	@Test
	void fewLongMessagesArePacked() {
		send(this.queue, 11, (i) -> message(i).header("long", BIG.substring(4_000)).delay(FAR));
		pack(this.queue);
		assertThat(packed(this.queue)).as("five chunks of two").isEqualTo(10);
		bringNear(this.queue);
		assertThat(browse(this.queue, 11)).hasSize(11)
			.allMatch((each) -> BIG.substring(4_000).equals(each.headers().get("long")));
	}

	@Test
	void whatIsDueSoonIsNotPackedHoweverLateThatComes() {
		send(this.queue, 30, (i) -> message(i).delay(Duration.ofMinutes(10)));
		store.names().registerFar(this.queue).join();
		FarScript far = store.far();
		FarScript.Place stale = new FarScript.Place("1", 0);
		assertThat(far.look(this.queue, stale, Duration.ofMinutes(11)).join().messages()).isEmpty();
		List<PackedMessages.Entry> found = far.look(this.queue, stale, Duration.ofMinutes(5)).join().messages();
		assertThat(found).hasSize(30);
		assertThat(far.look(this.queue, new FarScript.Place(Long.toString(found.get(0).dueMillis()), 0), Duration.ZERO)
			.join()
			.messages()).hasSize(30);
		assertThat(far.pack(this.queue, found, Duration.ofMinutes(11)).join()).isZero();
		assertThat(far.pack(this.queue, found, Duration.ofMinutes(9)).join()).isEqualTo(found.size());
	}

	@Test
	void whatALaneHasHeldStaysNear() {
		send(this.queue, 31, (i) -> message(i).id("m" + i).delay(FAR));
		Map<String, Double> dues = scores(this.queue, "scheduled");
		String uid = admin.messages().find(this.queue, "m0").orElseThrow().uid();
		redis.client()
			.getScoredSortedSet(key(this.queue, "scheduled"), StringCodec.INSTANCE)
			.add(dues.get(uid) + 1000, uid); // as when it is given back
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(30);
		assertThat(body(this.queue)).containsKey(uid);
		assertThat(admin.messages().reschedule(this.queue, "m0", FAR).done()).isTrue();
		send(this.queue, 30, (i) -> message(i).delay(FAR));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(60);
		assertThat(admin.messages().change(this.queue, "m0", MessageChange.none().failures(0)).done()).isTrue();
		send(this.queue, 30, (i) -> message(i).delay(FAR));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(90);
		assertThat(body(this.queue)).containsKey(uid);
		assertSound(this.queue);
	}

	@Test
	void whatExpiresBeforeItIsDueAndStrangeUidsStayNear() {
		send(this.queue, 32, (i) -> message(i).id("m" + i).timeToLive(Duration.ofDays(1)).delay(FAR));
		String uid = admin.messages().find(this.queue, "m0").orElseThrow().uid();
		redis.client()
			.getScoredSortedSet(key(this.queue, "expiries"), StringCodec.INSTANCE)
			.add(scores(this.queue, "scheduled").get(uid), uid);
		uid = admin.messages().find(this.queue, "m1").orElseThrow().uid();
		body(this.queue).put("a b", body(this.queue).get(uid));
		redis.client()
			.getScoredSortedSet(key(this.queue, "scheduled"), StringCodec.INSTANCE)
			.add(scores(this.queue, "scheduled").get(uid), "a b");
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(31);
		assertThat(bodies(this.queue)).isEqualTo(2);
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void whatWouldNotBeTheSameIsNotPacked(CapturedLog log) {
		PackedMessages.Entry entry = new PackedMessages.Entry("\ud800", Long.MAX_VALUE / 2, "", bytes("{}"));
		assertThat(store.far().pack(this.queue, List.of(entry), NOW).join()).isZero();
		assertThat(log.entriesWith("of the queue '" + this.queue + "' are not packed")).hasSize(1);
	}

	@Test
	void messagesWithKeysArePackedAndKeepThem() {
		send(this.queue, 25, (i) -> message(i).orderingKey("o").fairnessKey("f").priority(3).delay(FAR.plusMillis(i)));
		List<SendResult> sent = send(this.queue, 25,
				(i) -> message(i).deduplicate(Deduplication.firstWins("d" + i, FAR)).delay(FAR));
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(50);
		SendResult again = application.queues()
			.send(message(1).deduplicate(Deduplication.firstWins("d7", FAR)).delay(Duration.ofHours(1)));
		assertThat(again.duplicate()).isTrue();
		assertThat(List.of(again.id(), again.due())).containsExactly(sent.get(7).id(), sent.get(7).due());
		assertThat(admin.messages().cancel(this.queue, sent.get(7).id()).done()).isTrue();
		assertThat(application.queues()
			.send(message(1).deduplicate(Deduplication.firstWins("d7", FAR)).delay(Duration.ofHours(1)))
			.duplicate()).isFalse();
		assertThat(packed(this.queue)).isEqualTo(49);
		assertSound(this.queue);
		List<QueuedMessage> before = browse(this.queue, 100);
		bringNear(this.queue);
		assertThat(browse(this.queue, 100)).usingRecursiveFieldByFieldElementComparator()
			.containsExactlyInAnyOrderElementsOf(before);
		assertSound(this.queue);
	}

	@Test
	@UnsoundQueues("it is removed how many messages a chunk has")
	void aCancellationTakesNoOthersWithIt() {
		send(this.queue, 30, (i) -> message(i).id("m" + i).delay(FAR));
		pack(this.queue);
		RMap<String, String> chunks = redis.client().getMap(key(this.queue, "far:chunks"), StringCodec.INSTANCE);
		String number = chunks(this.queue).get(0).number();
		for (String foreign : Arrays.asList(null, "foreign")) {
			chunks.fastRemove("n" + number);
			if (foreign != null) {
				chunks.put("n" + number, foreign);
			}
			assertThat(admin.messages().cancel(this.queue, (foreign != null) ? "m0" : "m1").done()).isTrue();
			assertThat(admin.queues().check(this.queue).problems()).extracting(QueueCheck.Problem::subject)
				.contains("chunk " + number);
		}
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(28);
		assertNothingIsPacked(this.queue);
		assertSound(this.queue);
	}

	@Test
	@UnsoundQueues("the line of a packed message is removed")
	@ExtendWith(CapturedLog.Extension.class)
	void whatIsKnownOfAChunkComesNearAndTheRestIsKept(CapturedLog log) {
		send(this.queue, 30, (i) -> message(i).id("m" + i).delay(FAR));
		pack(this.queue);
		String uid = store.far()
			.chunks(this.queue, true, 1, null, null)
			.join()
			.chunks()
			.stream()
			.flatMap((chunk) -> PackedMessages.unpack(chunk.packed()).stream())
			.findFirst()
			.orElseThrow()
			.uid();
		Map<String, String> buckets = new HashMap<>(body(this.queue).readAllMap());
		buckets.forEach(
				(name, text) -> body(this.queue).put(name, text.replaceAll(uid + " (\\d+) \\d+\n", uid + " $1 x\n")));
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(29);
		assertThat(chunks(this.queue)).singleElement().extracting(FarScript.Chunk::left).isEqualTo(1);
		assertThat(log.entriesWith("it says that it has 1 others")).isNotEmpty();
		bringNear(this.queue);
		assertThat(chunks(this.queue)).singleElement().extracting(FarScript.Chunk::left).isEqualTo(1);
	}

	@Test
	@UnsoundQueues("a message is packed in a chunk that does not have it")
	void aLineWithoutAnEntryHoldsNothingUp() {
		send(this.queue, 30, (i) -> message(i).delay(FAR));
		pack(this.queue);
		Map.Entry<String, String> bucket = body(this.queue).readAllEntrySet().iterator().next();
		body(this.queue).put(bucket.getKey(),
				bucket.getValue() + "foreign " + chunks(this.queue).get(0).number() + " 5\n");
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(30);
		assertThat(chunks(this.queue)).isEmpty();
	}

	@Test
	@UnsoundQueues("the number of packed messages is removed")
	@ExtendWith(CapturedLog.Extension.class)
	void theNumberOfPackedMessagesIsCountedAgain(CapturedLog log) {
		RMap<String, String> meta = redis.client().getMap(key(this.queue, "meta"), StringCodec.INSTANCE);
		RMap<String, String> chunks = redis.client().getMap(key(this.queue, "far:chunks"), StringCodec.INSTANCE);
		send(this.queue, 500, (i) -> message(i).id("m" + i).delay(FAR.plusSeconds(i)));
		pack(this.queue);
		admin.messages().cancel(this.queue, "m3");
		String head = meta.get("far").replaceFirst(" \\d+$", ""); // without the lead
		Map<String, String> kept = new HashMap<>(chunks.readAllMap());
		for (String foreign : Arrays.asList(null, "foreign", "7 2 2 2")) {
			meta.fastRemove("far");
			if (foreign != null) {
				meta.put("far", foreign);
			}
			assertThat(admin.queues().check(this.queue).sound()).isFalse();
			assertThat(meta.get("far")).isEqualTo(head);
			assertSound(this.queue);
		}
		assertThat(log.entriesWith("They were counted again: 499 messages")).hasSize(3);
		FarScript far = store.far();
		far.thaw(this.queue, far.chunks(this.queue, true, 1, null, null).join().chunks().get(0)).join();
		kept.keySet().retainAll(chunks.readAllKeySet());
		String there = chunks(this.queue).get(0).number();
		for (String foreign : Arrays.asList(null, "foreign", "400 " + there + " 32 32")) {
			meta.fastRemove("far");
			if (foreign != null) {
				meta.put("far", foreign);
			}
			List<PackedMessages.Entry> near = far.look(this.queue, null, NOW).join().messages();
			assertThat(far.pack(this.queue, near.subList(0, 8), NOW).join()).isEqualTo(8);
			assertThat(chunks.readAllMap()).as("no chunk is overwritten")
				.containsAllEntriesOf(kept)
				.hasSizeGreaterThan(kept.size());
			assertSound(this.queue);
		}
		pack(this.queue);
		assertThat(packed(this.queue)).isEqualTo(499);
		meta.fastRemove("far");
		assertThat(far.thaw(this.queue, far.chunks(this.queue, true, 1, null, null).join().chunks().get(0)).join())
			.isEqualTo(FarScript.Thawed.NEAR);
		meta.fastRemove("far");
		bringNear(this.queue);
		bringNear(this.queue);
		assertNothingIsPacked(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(499);
		assertSound(this.queue);
	}

	@Test
	void numbersOfChunksAreNotUsedAgain() {
		send(this.queue, 30, (i) -> message(i).delay(FAR));
		long first = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
		for (int i = 0; i < 3; i++) {
			pack(this.queue);
			long number = Long.parseLong(chunks(this.queue).get(0).number());
			assertThat(number).as("begins at the clock").isGreaterThanOrEqualTo(first);
			first = number;
			bringNear(this.queue);
			assertNothingIsPacked(this.queue);
		}
	}

	@Test
	@UnsoundQueues("there are chunks of which nothing else is known")
	void aChunkOfWhichNothingIsKnownHoldsNoPackingUp() {
		RMap<String, String> chunks = redis.client().getMap(key(this.queue, "far:chunks"), StringCodec.INSTANCE);
		send(this.queue, 90, (i) -> message(i).delay(FAR));
		FarScript far = store.far();
		List<PackedMessages.Entry> near = far.look(this.queue, null, NOW).join().messages();
		assertThat(far.pack(this.queue, near.subList(0, 30), NOW).join()).isEqualTo(30);
		long next = head(this.queue)[1];
		chunks.put(Long.toString(next), "foreign");
		assertThat(far.pack(this.queue, near.subList(30, 60), NOW).join()).isEqualTo(30);
		assertThat(chunks.get(Long.toString(next))).isEqualTo("foreign");
		assertThat(head(this.queue)[1]).isEqualTo(next + 2);
		for (int i = 2; i < 22; i++) {
			chunks.put(Long.toString(next + i), "foreign");
		}
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> far.pack(this.queue, near.subList(60, 90), NOW).join())
			.withMessageContaining("none is packed now");
		assertThat(packed(this.queue)).isEqualTo(60);
	}

	@Test
	@UnsoundQueues("there are many chunks of which nothing else is known")
	void aStepOfACheckReadsFewChunks() {
		RMap<String, String> chunks = redis.client().getMap(key(this.queue, "far:chunks"), StringCodec.INSTANCE);
		Map<String, String> many = new HashMap<>();
		IntStream.range(0, 300).forEach((i) -> many.put("" + i, "x".repeat(100)));
		chunks.putAll(many);
		assertThat(new CheckScript(store.runner()).run(this.queue, CheckScript.Part.FAR_CHUNKS, "0", 500, List.of())
			.join()
			.examined()).isLessThan(100);
	}

	@Test
	@UnsoundQueues("there are foreign chunks")
	void foreignChunksArePassedOver() {
		send(this.queue, 30, (i) -> message(i).delay(FAR));
		pack(this.queue);
		RScoredSortedSet<String> far = redis.client().getScoredSortedSet(key(this.queue, "far"), StringCodec.INSTANCE);
		redis.client()
			.getScript(StringCodec.INSTANCE)
			.eval(RScript.Mode.READ_WRITE,
					"redis.call('ZADD', KEYS[1], '-inf', 'foreign', '1.5', 'other', 'inf', 'third')",
					RScript.ReturnType.VALUE, List.of(key(this.queue, "far")));
		bringNear(this.queue);
		assertThat(bodies(this.queue)).isEqualTo(30);
		assertThat(far.readAll()).containsExactly("foreign", "other", "third");
		assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(30);
	}

	// What tests do

	private static OutboundMessage message(int number, String queue) {
		return OutboundMessage.to(queue, "text " + number);
	}

	private OutboundMessage message(int number) {
		return message(number, this.queue);
	}

	private static List<SendResult> send(String queue, int count, IntFunction<OutboundMessage> message) {
		return application.queues().sendAll(IntStream.range(0, count).mapToObj(message).toList());
	}

	private static FarSweeper sweeper(String queue, Duration horizon) {
		return new FarSweeper(store, new FarSettings(Duration.ZERO, Map.of(queue, horizon)), NONE, "test",
				store.replayMemory().scheduler(), FarSweeper.INTERVAL);
	}

	private static void pack(String queue) {
		sweeper(queue, Duration.ofHours(1)).pack(queue).join();
	}

	/**
	 * Packs what is due in five minutes or later.
	 * @param lead how long before their time they come near
	 */
	private static void packToComeNear(String queue, Duration lead) {
		sweeper(queue, Duration.ofMinutes(5)).pack(queue).join();
		RMap<String, String> meta = redis.client().getMap(key(queue, "meta"), StringCodec.INSTANCE);
		meta.put("far", meta.get("far").replaceFirst("\\d+$", Long.toString(lead.toMillis())));
	}

	private static void bringNear(String queue) {
		sweeper(queue, Duration.ZERO).bringAllNear(queue).join();
	}

	private static BulkJob ended(BulkJob job) {
		return Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> admin.jobs().find(job.id()).orElseThrow(), (found) -> found.state() != BulkJob.State.RUNNING);
	}

	private List<String> search(MessageFilter filter) {
		Set<String> ids = new HashSet<>();
		List<String> found = new ArrayList<>();
		String cursor = null;
		int pages = 0;
		do {
			SearchPage page = admin.messages().search(this.queue, filter, cursor, 90);
			page.messages().forEach((message) -> {
				if (ids.add(message.id())) {
					found.add(message.id());
				}
			});
			cursor = page.cursor();
			assertThat(++pages).isLessThan(100);
		}
		while (cursor != null);
		return found;
	}

	private static List<QueuedMessage> browse(String queue, int size) {
		List<QueuedMessage> all = new ArrayList<>();
		QueuePage page;
		int number = 0;
		do {
			page = admin.messages().browse(queue, MessageState.SCHEDULED, number++, size);
			all.addAll(page.messages());
		}
		while (page.hasNext());
		assertThat(all).extracting(QueuedMessage::uid).doesNotHaveDuplicates();
		return all;
	}

	private static String key(String queue, String name) {
		return "redelay:{" + queue + "}:" + name;
	}

	private static RMap<String, String> body(String queue) {
		return redis.client().getMap(key(queue, "messages"), StringCodec.INSTANCE);
	}

	private static long bodies(String queue) {
		return body(queue).readAllKeySet().stream().filter((name) -> !name.startsWith("@")).count();
	}

	private static Map<String, Double> scores(String queue, String name) {
		Map<String, Double> scores = new HashMap<>();
		redis.client()
			.<String>getScoredSortedSet(key(queue, name), StringCodec.INSTANCE)
			.entryRange(0, -1)
			.forEach((entry) -> scores.put(entry.getValue(), entry.getScore()));
		return scores;
	}

	private static List<FarScript.Chunk> chunks(String queue) {
		return store.far().chunks(queue, false, FarScript.MAX_SPANS, null, null).join().chunks();
	}

	/**
	 * How many are packed, as it is recorded, and as there are lines and chunks.
	 */
	private static long packed(String queue) {
		long[] head = head(queue);
		Map<String, String> buckets = new HashMap<>(body(queue).readAllMap());
		buckets.keySet().removeIf((name) -> !name.startsWith("@"));
		assertThat(buckets).as("buckets").hasSize((int) head[3]);
		assertThat(buckets.values().stream().flatMap(String::lines).count()).as("lines").isEqualTo(head[0]);
		assertThat(store.far()
			.chunks(queue, false, FarScript.MAX_SPANS, null, null)
			.join()
			.chunks()
			.stream()
			.mapToLong(FarScript.Chunk::left)
			.sum()).as("in chunks").isEqualTo(head[0]);
		return head[0];
	}

	private static long[] head(String queue) {
		String head = redis.client().<String, String>getMap(key(queue, "meta"), StringCodec.INSTANCE).get("far");
		return (head != null) ? Arrays.stream(head.split(" ")).mapToLong(Long::parseLong).toArray() : new long[4];
	}

	private static void assertNothingIsPacked(String queue) {
		assertThat(packed(queue)).isZero();
		assertThat(redis.client().getKeys().countExists(key(queue, "far"), key(queue, "far:chunks"))).isZero();
	}

	private static void assertSound(String queue) {
		QueueCheck check = admin.queues().check(queue);
		assertThat(check.problems()).isEmpty();
		assertThat(check.sound()).isTrue();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static class Handler {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		private volatile long first;

		@QueueListener(queues = "${handled}", concurrency = "1")
		void handle(String text) {
			this.first = (this.first == 0) ? System.currentTimeMillis() : this.first;
			this.handled.add(text);
		}

	}

}
