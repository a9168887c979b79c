package io.redelay.queue.admin.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.queue.script.admin.ColdTier;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.MemoryColdChunks;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RMap;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for packed messages whose content is in a database: whatever is done with packed
 * messages works, and whatever goes back in time, is lost or away costs no message that
 * is there still.
 */
class ColdMessagesIntegrationTests {

	private static final Supplier<CompletableFuture<List<String>>> NONE = () -> CompletableFuture
		.completedFuture(List.of());

	private static final Duration FAR = Duration.ofDays(20);

	private static final List<String> KEYS = List.of("far", "far:chunks", "messages", "scheduled", "meta", "ids",
			"keys", "tags");

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String HANDLED = TestRedis.queue();

	private static final Handler handler = new Handler();

	private static ListenerApplication application;

	private static QueueAdmin admin;

	private static AdminScripts store;

	private final String queue = TestRedis.queue();

	private final AtomicLong clock = new AtomicLong(1);

	private final MemoryColdChunks database = new MemoryColdChunks(this.clock::get);

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).with("handled", HANDLED).bean(handler).start();
		admin = application.bean(QueueAdmin.class);
		store = application.bean(AdminScripts.class);
	}

	@AfterAll
	static void close() {
		application.close();
	}

	@BeforeEach
	void useDatabase() {
		store.coldTier().use(this.database);
	}

	/**
	 * So that what looks at all queues afterwards, without this database, finds them
	 * sound.
	 */
	@AfterEach
	void deleteQueue() {
		if (store.names().queues().join().contains(this.queue)) {
			admin.control().deleteWithMessages(this.queue);
		}
		redis.client().getKeys().delete("redelay:cold");
	}

	@Test
	void theContentMovesIntoTheDatabaseAndBackAheadOfItsTime() {
		send(450);
		List<QueuedMessage> before = browse(100);
		pack();
		Map<String, byte[]> hot = chunks();
		save();
		assertThat(markers()).hasSize(9);
		assertThat(this.database.saved(this.queue)).hasSize(9).allSatisfy((each) -> {
			assertThat(each.bytes()).isEqualTo(hot.get(each.key().chunk()));
			assertThat(each.messages()).isBetween(1, PackedMessages.MAX_MESSAGES);
			assertThat(each.latestMillis()).isGreaterThanOrEqualTo(each.dueMillis());
		});
		assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(450);
		assertSound();
		sweeper(FAR.plusDays(5)).load(this.queue).join(); // half of it is less
		assertThat(markers()).hasSize(9);
		sweeper(FAR.multipliedBy(3)).load(this.queue).join();
		assertThat(chunks()).containsExactlyInAnyOrderEntriesOf(hot);
		int loads = this.database.loads();
		bringNear();
		assertThat(this.database.loads()).isEqualTo(loads);
		assertThat(chunks()).isEmpty();
		assertThat(browse(100)).usingRecursiveFieldByFieldElementComparator().containsExactlyElementsOf(before);
	}

	@Test
	void onlyWhatIsDueAfterTheHorizonMoves() {
		send(40);
		pack();
		sweeper(FAR.plusDays(1)).save(this.queue).join();
		assertThat(markers()).isEmpty();
		new ColdSweeper(store, new FarSettings(Duration.ZERO, Map.of()), (each) -> false, Duration.ofDays(1), "test",
				store.replayMemory().scheduler(), ColdSweeper.Times.DEFAULTS)
			.save(this.queue)
			.join();
		assertThat(markers()).as("of a queue that is packed by others").isEmpty();
		save();
		assertThat(markers()).hasSize(1);
	}

	@Test
	void anInstanceMovesOnlyWhatItPacks() {
		send(40);
		pack();
		sweep("one", (queue) -> false);
		assertThat(markers()).as("of a queue of another application, whose database is another one").isEmpty();
		sweep("two", this.queue::equals);
		assertThat(markers()).hasSize(1);
		send(80);
		pack();
		sweep("three", this.queue::equals);
		assertThat(markers()).as("in the turn of another instance").hasSize(1);
		sweep("two", this.queue::equals);
		assertThat(markers()).hasSize(2);
		List<ColdChunks.Saved> saved = this.database.saved(this.queue);
		sweep("one", (queue) -> false, FAR.multipliedBy(3));
		assertThat(markers()).as("nor does it bring back what it does not pack").hasSize(2);
		sweep("two", this.queue::equals, FAR.multipliedBy(3));
		assertThat(markers()).isEmpty();
		assertThat(this.database.saved(this.queue)).hasSameSizeAs(saved);
	}

	private void sweep(String instance, Predicate<String> listens) {
		sweep(instance, listens, Duration.ofDays(1));
	}

	private void sweep(String instance, Predicate<String> listens, Duration horizon) {
		new ColdSweeper(store, new FarSettings(Duration.ofHours(1), Map.of()), listens, horizon, instance,
				store.replayMemory().scheduler(), ColdSweeper.Times.DEFAULTS)
			.sweep()
			.join();
	}

	@Test
	void itIsDeliveredAlthoughNobodyLoadedItAhead() {
		List<OutboundMessage> messages = IntStream.range(0, 60)
			.mapToObj((i) -> OutboundMessage.to(HANDLED, "payload" + i).delay(Duration.ofSeconds(3)))
			.toList();
		application.queues().sendAll(messages);
		sweeper(HANDLED, Duration.ofMillis(10)).pack(HANDLED).join();
		cold(HANDLED, Duration.ofMillis(10)).save(HANDLED).join();
		assertThat(this.database.saved(HANDLED)).isNotEmpty();
		Awaitility.await().untilAsserted(() -> assertThat(handler.handled).hasSize(60));
	}

	@Test
	void cancellingAndCountingNeedNoDatabase() {
		send(60);
		pack();
		save();
		this.database.away(true);
		assertThat(admin.messages().cancel(this.queue, "id7").done()).isTrue();
		assertThat(admin.messages().delete(this.queue, "id8").done()).isTrue();
		assertThat(application.queues().send(message(9)).outcome().name()).contains("DUPLICATE");
		assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(58);
		this.database.away(false);
		assertThat(search()).hasSize(58).doesNotContain("id7", "id8");
		bringNear();
		assertThat(browse(100)).hasSize(58);
		assertSound();
	}

	@Test
	void commandsReachWhatIsInTheDatabase() {
		send(300);
		pack();
		save();
		QueuedMessage found = admin.messages().find(this.queue, "id42").orElseThrow();
		assertThat(text(found)).isEqualTo("payload42");
		assertThat(browse(90)).hasSize(300);
		assertThat(search()).hasSize(300);
		assertThat(markers()).as("reading moves nothing").hasSize(6);
		Instant due = found.dueAt().plus(Duration.ofDays(3));
		assertThat(admin.messages().rescheduleAt(this.queue, "id42", due).done()).isTrue();
		assertThat(admin.messages().find(this.queue, "id42").orElseThrow().dueAt()).isEqualTo(due);
		assertThat(markers()).as("the others stay there").hasSize(6);
		assertThat(search()).hasSize(300);
		assertThat(browse(90)).as("each once").hasSize(300);
		pack();
		save();
		assertThat(admin.messages().change(this.queue, "id43", MessageChange.none().payload("other")).done()).isTrue();
		assertThat(text(admin.messages().find(this.queue, "id43").orElseThrow())).isEqualTo("other");
		assertThat(admin.messages().runNow(this.queue, "id299").done()).isTrue();
		assertThat(admin.messages().find(this.queue, "id299").orElseThrow().state()).isEqualTo(MessageState.READY);
		pack();
		save();
		leave();
		assertThat(markers()).hasSize(6);
		assertThat(this.database.saved(this.queue)).as("those are needed still").hasSize(6);
		assertThat(search()).hasSize(300);
		BulkJob job = ended(admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all().states(MessageState.SCHEDULED))));
		assertThat(job.state()).isEqualTo(BulkJob.State.DONE);
		assertThat(admin.queues().info(this.queue).scheduled()).isZero();
		assertSound();
	}

	@Test
	void whatIsLeftOfAChunkComesBackWhenMostIsGone() {
		send(100);
		pack();
		save();
		IntStream.range(0, 42).forEach((i) -> admin.messages().cancel(this.queue, "id" + i));
		this.database.away(true);
		pack();
		assertThat(markers()).as("it waits for the database").hasSize(2);
		this.database.away(false);
		Awaitility.await().until(() -> {
			pack();
			return markers().size() == 1;
		});
		assertThat(chunks()).as("so few stay near").hasSize(1);
		assertThat(search()).hasSize(58);
		assertThat(text(admin.messages().find(this.queue, "id42").orElseThrow())).isEqualTo("payload42");
		leave();
		assertThat(this.database.saved(this.queue)).hasSize(1);
		bringNear();
		assertThat(browse(100)).hasSize(58);
		assertSound();
	}

	@Test
	void aPurgeAndADeletionReachWhatIsInTheDatabase() {
		send(300);
		pack();
		save();
		assertThat(admin.control().purge(this.queue, MessageState.SCHEDULED)).isEqualTo(300);
		assertThat(chunks()).isEmpty();
		send(300);
		pack();
		save();
		admin.control().deleteWithMessages(this.queue);
		assertThat(chunks()).isEmpty();
		leave();
		assertThat(this.database.saved(this.queue)).isEmpty();
	}

	@Test
	void aCrashBetweenBothSidesOfAMoveLosesNothing() {
		send(60);
		pack();
		Map<String, byte[]> hot = chunks();
		this.database.failsAfterSave(true);
		assertThatExceptionOfType(Exception.class).isThrownBy(this::save);
		assertThat(chunks()).containsExactlyEntriesOf(hot);
		assertThat(this.database.saved(this.queue)).hasSize(1);
		this.database.failsAfterSave(false);
		Awaitility.await().ignoreExceptions().until(() -> {
			save();
			return true;
		});
		assertThat(markers()).hasSize(1);
		assertThat(this.database.saved(this.queue)).hasSize(1);
		leave();
		assertThat(search()).hasSize(60);
	}

	@Test
	void instancesOfANamedRedisMayMoveTheSame() {
		store.names().addColdOwner("0-owner").join();
		send(1000);
		pack();
		CompletableFuture
			.allOf(IntStream.range(0, 4)
				.mapToObj((i) -> CompletableFuture
					.supplyAsync(() -> cold(this.queue, Duration.ofDays(1)).save(this.queue))
					.thenCompose((saving) -> saving))
				.toArray(CompletableFuture[]::new))
			.join();
		assertThat(this.database.saved(this.queue)).hasSize(20);
		assertThat(markers()).hasSize(20);
		CompletableFuture<Void> loading = cold(this.queue, FAR.multipliedBy(3)).load(this.queue);
		bringNear();
		loading.join();
		bringNear();
		assertThat(chunks()).isEmpty();
		assertThat(browse(500)).hasSize(1000);
		assertSound();
	}

	@Test
	void aRedisThatGoesBackToBeforeTheMoveNeedsNoRow() {
		send(60);
		pack();
		Map<String, byte[]> backup = backup();
		save();
		restore(backup);
		assertThat(markers()).isEmpty();
		tidy();
		assertThat(this.database.saved(this.queue)).as("for a day").hasSize(1);
		save();
		this.clock.addAndGet(ColdSweeper.Times.DEFAULTS.grace().toMillis() + 1);
		tidy();
		assertThat(this.database.saved(this.queue)).as("it was saved again").hasSize(1);
		assertThat(search()).hasSize(60);
		restore(backup);
		leave();
		assertThat(this.database.saved(this.queue)).isEmpty();
		assertThat(search()).hasSize(60);
		assertSound();
	}

	@Test
	void aRedisThatGoesBackToBeforeThePackNeedsNoRow() {
		send(60);
		Map<String, byte[]> backup = backup();
		pack();
		save();
		restore(backup);
		leave();
		assertThat(this.database.saved(this.queue)).isEmpty();
		assertThat(search()).hasSize(60);
		assertSound();
	}

	@Test
	void aRedisThatGoesBackToBeforeTheLoadingFindsItsRows() {
		send(60);
		pack();
		save();
		Map<String, byte[]> backup = backup();
		cold(this.queue, FAR.multipliedBy(3)).load(this.queue).join();
		bringNear();
		tidy();
		this.clock.addAndGet(ColdSweeper.Times.DEFAULTS.grace().toMillis() - 1);
		tidy();
		restore(backup);
		tidy();
		this.clock.addAndGet(ColdSweeper.Times.DEFAULTS.grace().toMillis() + 1);
		tidy();
		assertThat(search()).hasSize(60);
		bringNear();
		assertThat(browse(100)).hasSize(60);
		leave();
		assertThat(this.database.saved(this.queue)).isEmpty();
	}

	@Test
	void rowsOfAnotherRedisStay() {
		send(60);
		pack();
		save();
		assertThat(redis.client().<String>getSet("redelay:cold", StringCodec.INSTANCE).readAll())
			.containsExactly(this.database.saved(this.queue).get(0).owner());
		bringNear();
		redis.client().getKeys().delete("redelay:cold"); // as if all was lost
		leave();
		assertThat(this.database.saved(this.queue)).hasSize(1);
		String other = TestRedis.queue();
		application.queues()
			.sendAll(IntStream.range(0, 60).mapToObj((i) -> OutboundMessage.to(other, "payload").delay(FAR)).toList());
		sweeper(other, Duration.ofHours(1)).pack(other).join();
		redis.client().<String>getSet("redelay:cold", StringCodec.INSTANCE).add("0-other");
		cold(other, Duration.ofDays(1)).save(other).join();
		assertThat(this.database.saved(other)).extracting(ColdChunks.Saved::owner).containsExactly("0-other");
		leave();
		assertThat(this.database.saved(this.queue)).hasSize(1);
		assertThat(this.database.saved(other)).hasSize(1);
		admin.control().deleteWithMessages(other);
	}

	/**
	 * As when the address of Redis leads to another one.
	 */
	@Test
	void rowsOfTheRedisThatAnInstanceHadBeforeStay() {
		ColdSweeper sweeper = cold(this.queue, Duration.ofDays(1));
		send(60);
		pack();
		sweeper.save(this.queue).join();
		ColdChunks.Saved former = this.database.saved(this.queue).get(0);
		bringNear();
		redis.client().getKeys().delete("redelay:cold");
		pack();
		sweeper.save(this.queue).join();
		assertThat(this.database.saved(this.queue)).extracting(ColdChunks.Saved::owner)
			.hasSize(2)
			.contains(former.owner())
			.doesNotHaveDuplicates();
		bringNear();
		leave();
		assertThat(this.database.saved(this.queue)).extracting(ColdChunks.Saved::owner).containsExactly(former.owner());
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void lostRowsAreNamedAndStrandNothingElse(CapturedLog log) {
		send(50);
		pack();
		save();
		List<ColdChunks.Saved> lost = this.database.lose(this.queue);
		IntStream.range(100, 150).forEach((i) -> application.queues().send(message(i).delay(FAR.plusDays(1))));
		pack();
		String chunk = lost.get(0).key().chunk();
		bringNear();
		bringNear();
		assertThat(log.entriesWith(ColdTier.class.getName(), this.queue)).singleElement()
			.asString()
			.contains("50 messages of the queue '" + this.queue + "' in the chunks " + chunk, "redelay_cold_chunk");
		assertThat(markers()).hasSize(1);
		assertThat(browse(100)).as("the others").hasSize(50);
		QueueCheck check = admin.queues().check(this.queue);
		assertThat(check.problems()).singleElement().satisfies((problem) -> {
			assertThat(problem.subject()).isEqualTo("chunk " + chunk);
			assertThat(problem.detail()).contains("50 messages", "redelay_cold_chunk");
		});
		assertThat(admin.messages().reschedule(this.queue, "id1", FAR).done()).isFalse();
		assertThat(admin.messages().cancel(this.queue, "id1").done()).isTrue();
		ColdChunks.Saved damaged = lost.get(0);
		this.database.save(List.of(new ColdChunks.Saved(damaged.owner(), damaged.key(), damaged.dueMillis(),
				damaged.latestMillis(), 50, "nonsense".getBytes(StandardCharsets.UTF_8))));
		bringNear();
		assertThat(markers()).as("a row that has other bytes").hasSize(1);
		this.database.lose(this.queue);
		this.database.save(lost);
		bringNear();
		assertThat(chunks()).isEmpty();
		assertThat(browse(200)).hasSize(99);
		assertSound();
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aDatabaseThatIsAwayHoldsUpOnlyWhatNeedsIt(CapturedLog log) {
		send(60);
		pack();
		save();
		IntStream.range(100, 160).forEach((i) -> application.queues().send(message(i).delay(FAR.plusDays(1))));
		pack();
		this.database.away(true);
		assertThatExceptionOfType(Exception.class).isThrownBy(this::save);
		bringNear();
		bringNear();
		assertThat(markers()).hasSize(1);
		assertThat(chunks()).hasSize(1);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> admin.messages().find(this.queue, "id1"))
			.withMessageContaining("cannot be asked");
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(this::search)
			.withMessageContaining("cannot be asked");
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> admin.control().purge(this.queue, MessageState.SCHEDULED));
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> admin.messages().reschedule(this.queue, "id1", FAR));
		assertThat(admin.messages().cancel(this.queue, "id2").done()).isTrue();
		assertThat(log.entriesWith(ColdTier.class.getName(), "asked")).singleElement()
			.asString()
			.contains("cannot be asked");
		this.database.away(false);
		Awaitility.await().until(() -> {
			bringNear();
			return chunks().isEmpty();
		});
		assertThat(log.entriesWith(ColdTier.class.getName(), "asked")).hasSize(2).last().asString().contains("again");
		assertSound();
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void anApplicationWithoutADatabaseSaysWhatIsMissing(CapturedLog log) {
		send(50);
		pack();
		save();
		try (ListenerApplication other = ListenerApplication.on(redis).start()) {
			AdminScripts there = other.bean(AdminScripts.class);
			assertThat(there.far().chunks(this.queue, true, 10, null, null).join().chunks().get(0).problem())
				.contains("no such database");
			assertThat(log.entriesWith(ColdTier.class.getName(), this.queue)).singleElement()
				.asString()
				.contains("50 messages", "add redelay-outbox");
		}
	}

	private static String text(QueuedMessage message) {
		return new String(message.payload(), StandardCharsets.UTF_8);
	}

	private void save() {
		cold(this.queue, Duration.ofDays(1)).save(this.queue).join();
	}

	private void tidy() {
		cold(this.queue, Duration.ofDays(1)).tidy().join();
	}

	/**
	 * Has rows that nobody needs deleted.
	 */
	private void leave() {
		tidy();
		this.clock.addAndGet(ColdSweeper.Times.DEFAULTS.grace().toMillis() + 1);
		tidy();
	}

	private ColdSweeper sweeper(Duration horizon) {
		return cold(this.queue, horizon);
	}

	private static ColdSweeper cold(String queue, Duration horizon) {
		return new ColdSweeper(store, new FarSettings(Duration.ZERO, Map.of(queue, Duration.ofHours(1))),
				(each) -> false, horizon, "test", store.replayMemory().scheduler(), ColdSweeper.Times.DEFAULTS);
	}

	private static FarSweeper sweeper(String queue, Duration horizon) {
		return new FarSweeper(store, new FarSettings(Duration.ZERO, Map.of(queue, horizon)), NONE, "test",
				store.replayMemory().scheduler(), FarSweeper.INTERVAL);
	}

	private void pack() {
		sweeper(this.queue, Duration.ofHours(1)).pack(this.queue).join();
	}

	private void bringNear() {
		sweeper(this.queue, Duration.ofHours(1)).bringAllNear(this.queue).join();
	}

	private OutboundMessage message(int number) {
		return OutboundMessage.to(this.queue, "payload" + number).id("id" + number).delay(FAR.plusSeconds(number));
	}

	private List<SendResult> send(int count) {
		return application.queues().sendAll(IntStream.range(0, count).mapToObj(this::message).toList());
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	/**
	 * The chunks by their numbers, with their bytes or what stands in their place.
	 */
	private Map<String, byte[]> chunks() {
		RMap<byte[], byte[]> all = redis.client().getMap(key("far:chunks"), ByteArrayCodec.INSTANCE);
		Map<String, byte[]> chunks = new HashMap<>();
		all.readAllMap().forEach((name, value) -> {
			if (name[0] != 'n') {
				chunks.put(new String(name, StandardCharsets.UTF_8), value);
			}
		});
		return chunks;
	}

	private List<String> markers() {
		return chunks().values()
			.stream()
			.map((each) -> new String(each, StandardCharsets.ISO_8859_1))
			.filter((each) -> each.matches("\\*[0-9a-f]{40}"))
			.toList();
	}

	private Map<String, byte[]> backup() {
		Map<String, byte[]> backup = new HashMap<>();
		KEYS.forEach((name) -> {
			if (redis.client().getKeys().countExists(key(name)) > 0) {
				backup.put(name, redis.client().getBucket(key(name)).dump());
			}
		});
		return backup;
	}

	private void restore(Map<String, byte[]> backup) {
		KEYS.forEach((name) -> {
			redis.client().getKeys().delete(key(name));
			if (backup.containsKey(name)) {
				redis.client().getBucket(key(name)).restore(backup.get(name));
			}
		});
	}

	private List<QueuedMessage> browse(int size) {
		List<QueuedMessage> all = new ArrayList<>();
		QueuePage page;
		int number = 0;
		do {
			page = admin.messages().browse(this.queue, MessageState.SCHEDULED, number++, size);
			all.addAll(page.messages());
		}
		while (page.hasNext());
		assertThat(all).extracting(QueuedMessage::uid).doesNotHaveDuplicates();
		return all;
	}

	private Set<String> search() {
		Set<String> ids = new HashSet<>();
		String cursor = null;
		do {
			SearchPage page = admin.messages().search(this.queue, MessageFilter.all(), cursor, 90);
			page.messages().forEach((message) -> ids.add(message.id()));
			cursor = page.cursor();
		}
		while (cursor != null);
		return ids;
	}

	private static BulkJob ended(BulkJob job) {
		return Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> admin.jobs().find(job.id()).orElseThrow(), (found) -> found.state() != BulkJob.State.RUNNING);
	}

	private void assertSound() {
		QueueCheck check = admin.queues().check(this.queue);
		assertThat(check.problems()).isEmpty();
		assertThat(check.sound()).isTrue();
	}

	static class Handler {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${handled}", concurrency = "1")
		void handle(String text) {
			this.handled.add(text);
		}

	}

}
