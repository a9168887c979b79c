package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.Sha1;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.TestScripts;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.CapturedLog;
import io.redelay.test.MemoryColdChunks;
import io.redelay.test.TestRedis;
import io.redelay.test.UnsoundQueues;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RMap;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for commands on messages that are packed: they are carried out once, also when
 * Redis goes back in time in the midst of them, and end when their chunk is not there.
 */
class FarCommandsIntegrationTests {

	private static final Duration FAR = Duration.ofDays(20);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static QueueScripts store;

	private final TestQueue queue = new TestQueue(store);

	private final List<Rollback> rollbacks = new CopyOnWriteArrayList<>();

	private AdminScripts admin = admin(
			new ReplayMemory(Duration.ofMinutes(1), 1_000_000, this.rollbacks::add, Scheduler.unclosed(Runnable::run)),
			1_000_000);

	private RequestBatchers<MessageCommand, CommandReply> commands = this.admin.steer().batchers();

	@BeforeAll
	static void createStore() {
		store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
	}

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	/**
	 * A command on a packed message is a request that does nothing, the move of its chunk
	 * and a second request.
	 */
	@ParameterizedTest
	@CsvSource({ "SCHEDULE, BEFORE", "SCHEDULE, BETWEEN", "SCHEDULE, NEAR", "SCHEDULE, BEHIND", "RUN, BEFORE",
			"RUN, BETWEEN", "RUN, NEAR", "RUN, BEHIND", "BURY, BEFORE", "BURY, BETWEEN", "BURY, NEAR", "BURY, BEHIND",
			"CHANGE, BEFORE", "CHANGE, BETWEEN", "CHANGE, NEAR", "CHANGE, BEHIND", "CANCEL, BEFORE" })
	void aCommandIsCarriedOutThatRedisForgets(MessageCommand.Action action, Moment moment) {
		List<String> uids = packed(30);
		String argument = argument(action, uids.get(3));
		commands(MessageCommand.Action.CANCEL, uids.get(0), "");
		List<Map<String, byte[]>> kept = new ArrayList<>();
		MessageCommand command = command(action, uids.get(3), argument);
		List<CommandReply.Result> results = TestQueue.get(CommandBatcher.send(List.of(command),
				(some) -> CompletableFuture.supplyAsync(() -> kept.add(keys())).thenCompose((added) -> batch(some))));
		assertThat(results).extracting(CommandReply.Result::isDone).containsExactly(true);
		assertThat(kept).hasSize((action == MessageCommand.Action.CANCEL) ? 1 : 2);
		List<String> expected = describe(uids);
		Map<String, byte[]> to = switch (moment) {
			case BEFORE -> kept.get(0);
			case BETWEEN -> {
				Map<String, byte[]> between = new HashMap<>(kept.get(0));
				kept.get(1).forEach((key, value) -> {
					if (key.contains(":sent:")) {
						between.put(key, value);
					}
				});
				yield between;
			}
			case NEAR -> kept.get(1);
			case BEHIND -> keys();
		};
		goBack(to);
		commands(MessageCommand.Action.CANCEL, uids.get(9), "");
		expected.set(9, "gone");
		assertThat(describe(uids)).isEqualTo(expected);
		boolean lost = moment != Moment.BEHIND;
		assertThat(this.rollbacks).hasSize(lost ? 1 : 0)
			.allMatch((rollback) -> rollback.missing() == 0 && rollback.repeated() == 1);
		assertThat(this.admin.messages().outcomes(this.queue.name, uids).join()).hasSize(30);
	}

	@Test
	void commandsBehindOneThatWaitsKeepTheirOrderWhenTheyAreRepeated() {
		List<String> uids = packed(30);
		commands(MessageCommand.Action.CANCEL, uids.get(0), "");
		Map<String, byte[]> before = keys();
		Instant first = Instant.now().plus(Duration.ofDays(2));
		List<MessageCommand> several = new ArrayList<>();
		for (int i = 1; i < 30; i++) {
			several.add(command(MessageCommand.Action.SCHEDULE, uids.get(i), MessageCommand.at(first.plusSeconds(i))));
		}
		// The last of the commands on a message counts.
		several.add(command(MessageCommand.Action.SCHEDULE, uids.get(5),
				MessageCommand.at(first.plus(Duration.ofDays(1)))));
		several.add(command(MessageCommand.Action.CANCEL, uids.get(6), ""));
		assertThat(TestQueue.get(CommandBatcher.send(several, this::batch))).allMatch(CommandReply.Result::isDone);
		List<String> expected = describe(uids);
		goBack(before);
		commands(MessageCommand.Action.CANCEL, uids.get(9), "");
		expected.set(9, "gone");
		assertThat(describe(uids)).isEqualTo(expected);
		assertThat(this.rollbacks).singleElement()
			.satisfies((rollback) -> assertThat(List.of(rollback.repeated(), rollback.missing()))
				.containsExactly((long) several.size(), 0L));
	}

	/**
	 * What another instance made small is large again when Redis has gone back.
	 */
	@Test
	void commandsThatDoNotFitARequestAnyMoreAreRepeatedInSeveral() {
		this.admin = admin(this.admin.replayMemory(), 5_000);
		this.commands = this.admin.steer().batchers();
		List<NewMessage> sent = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			sent.add(this.queue.message("x".repeat(6_000), FAR));
		}
		this.queue.sender().send(sent.toArray(NewMessage[]::new));
		List<String> uids = sent.stream().map(NewMessage::uid).toList();
		commands(MessageCommand.Action.CANCEL, uids.get(0), "");
		Map<String, byte[]> large = keys();
		RMap<String, String> bodies = redis.client().getMap(this.queue.key("messages"), StringCodec.INSTANCE);
		uids.subList(1, 5).forEach((uid) -> bodies.put(uid, "{\"payload\":\"small\"}"));
		List<MessageCommand> several = uids.subList(1, 4)
			.stream()
			.map((uid) -> command(MessageCommand.Action.SCHEDULE, uid, "+5000000"))
			.toList();
		assertThat(TestQueue.get(CommandBatcher.send(several, this::batch))).allMatch(CommandReply.Result::isDone);
		goBack(large);
		commands(MessageCommand.Action.CANCEL, uids.get(4), "");
		assertThat(this.rollbacks).singleElement()
			.satisfies(
					(rollback) -> assertThat(List.of(rollback.repeated(), rollback.missing())).containsExactly(3L, 0L));
		Instant latest = Instant.now().plusMillis(6_000_000);
		AdminScripts unbounded = admin(ReplayMemory.NONE, 1_000_000);
		assertThat(unbounded.messages().find(this.queue.name, uids).join().messages()).hasSize(3)
			.allMatch((message) -> message.since() != null && message.since().isBefore(latest));
	}

	@Test
	@UnsoundQueues("a chunk is gone")
	@ExtendWith(CapturedLog.Extension.class)
	void aCommandWhoseChunkIsNotThereEnds(CapturedLog log) {
		List<String> uids = packed(30);
		FarScript.Chunk chunk = chunks().get(0);
		redis.client().getMap(this.queue.key("far:chunks"), StringCodec.INSTANCE).delete();
		redis.client().getKeys().delete(this.queue.key("far"));
		int[] requests = new int[1];
		List<MessageCommand> several = List.of(command(MessageCommand.Action.RUN, uids.get(1), ""),
				command(MessageCommand.Action.SCHEDULE, uids.get(2), "+0"),
				command(MessageCommand.Action.CANCEL, uids.get(3), ""));
		List<CommandReply.Result> results = TestQueue.get(CommandBatcher.send(several, (some) -> {
			requests[0]++;
			return batch(some);
		}));
		assertThat(results).extracting(CommandReply.Result::outcome)
			.containsExactly(CommandReply.Result.Outcome.UNREADABLE, CommandReply.Result.Outcome.UNREADABLE,
					CommandReply.Result.Outcome.DONE);
		assertThat(requests[0]).isLessThanOrEqualTo(2 * CommandBatcher.MAX_TRIES + 1);
		assertThat(log.entriesWith("it is packed in the chunk " + chunk.number() + " of its queue, which is not there"))
			.hasSize(2);
	}

	@Test
	@UnsoundQueues("a chunk is in a database that nobody has")
	void nobodyIsToldThatACommandWasRefusedWhoseChunkCannotBeAskedFor() {
		List<String> uids = packed(30);
		chill();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> commands(MessageCommand.Action.SCHEDULE, uids.get(1), "+5000"))
			.withMessageContaining("SCHEDULE was not carried out on the message '" + uids.get(1));
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(2), "").isDone()).isTrue();
	}

	@Test
	@UnsoundQueues("a chunk is in a database that nobody has")
	void aRepeatedCommandWhoseChunkCannotBeAskedForIsCountedAsMissing() {
		List<String> uids = packed(30);
		commands(MessageCommand.Action.CANCEL, uids.get(0), "");
		Map<String, byte[]> before = keys();
		assertThat(commands(MessageCommand.Action.SCHEDULE, uids.get(1), "+5000").isDone()).isTrue();
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(2), "").isDone()).isTrue();
		goBack(before);
		chill();
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(3), "").isDone()).isTrue();
		assertThat(this.rollbacks).singleElement()
			.satisfies(
					(rollback) -> assertThat(List.of(rollback.repeated(), rollback.missing())).containsExactly(1L, 1L));
	}

	/**
	 * The reply to a request for chunks ends when it is large, and so does that to one
	 * for messages that have come near meanwhile.
	 */
	@Test
	void whatIsPackedInManyLargeChunksIsFound() {
		List<NewMessage> sent = new ArrayList<>();
		Random random = new Random(7);
		for (int i = 0; i < 12; i++) {
			byte[] payload = new byte[600];
			random.nextBytes(payload);
			sent.add(this.queue.message(HexFormat.of().formatHex(payload), FAR.plusDays(i)));
			this.queue.sender().send(sent.get(i));
			pack();
		}
		List<String> uids = sent.stream().map(NewMessage::uid).toList();
		List<FarScript.Chunk> chunks = chunks();
		assertThat(chunks).hasSize(12);
		List<StoredMessage> places = IntStream.range(0, 12)
			.mapToObj((i) -> place(uids.get(i), chunks.get(i).number()))
			.toList();
		StoredMessages messages = admin(ReplayMemory.NONE, 520).messages();
		assertThat(TestQueue.get(messages.unpacked(this.queue.name, places))).extracting(StoredMessage::uid)
			.containsExactlyElementsOf(uids);
		TestQueue.get(this.admin.far().chunks(this.queue.name, true, 100, null, null))
			.chunks()
			.forEach((each) -> TestQueue.get(this.admin.far().thaw(this.queue.name, each)));
		assertThat(TestQueue.get(messages.unpacked(this.queue.name, places))).extracting(StoredMessage::uid)
			.containsExactlyElementsOf(uids);
	}

	/**
	 * A packed message as scripts show it.
	 */
	private static StoredMessage place(String uid, String chunk) {
		return new StoredMessage(uid, uid, MessageState.SCHEDULED, Instant.EPOCH, 0, 0, null, false,
				("@" + chunk).getBytes(StandardCharsets.UTF_8), null, List.of(), null, null, null);
	}

	/**
	 * If the chunk went with those that are named, the content of the others would be
	 * lost.
	 */
	@Test
	@UnsoundQueues("a chunk says that it has fewer messages than it has")
	void messagesOfAChunkThatSaysTooLowANumberAreNotLost() {
		List<String> uids = packed(30);
		RMap<String, String> all = redis.client().getMap(this.queue.key("far:chunks"), StringCodec.INSTANCE);
		FarScript.Chunk chunk = TestQueue.get(this.admin.far().chunks(this.queue.name, true, 1, null, null))
			.chunks()
			.get(0);
		String counts = "n" + chunk.number();
		all.put(counts, all.get(counts).replaceFirst("^30 ", "10 "));
		List<Object> some = new ArrayList<>(
				List.of(chunk.number(), Sha1.of(chunk.packed()), this.admin.wakePrefix(), "SOME"));
		PackedMessages.unpack(chunk.packed())
			.subList(0, 10)
			.forEach((each) -> some.addAll(List.of(each.uid(), each.envelope())));
		Map<String, byte[]> before = keys();
		assertThat(TestQueue.get(this.admin.runner()
			.run(Script.THAW, this.queue.name, "Moving some of", ReplyReader::text, some.toArray())))
			.isEqualTo("WHOLE");
		assertThat(keys()).usingRecursiveComparison().isEqualTo(before);
		List<MessageCommand> several = uids.subList(0, 10)
			.stream()
			.map((uid) -> command(MessageCommand.Action.SCHEDULE, uid, "+5000000"))
			.toList();
		assertThat(TestQueue.get(CommandBatcher.send(several, this::batch))).allMatch(CommandReply.Result::isDone);
		assertThat(chunks()).isEmpty();
		assertThat(describe(uids)).hasSize(30).allMatch((each) -> each.startsWith("SCHEDULED"));
	}

	/**
	 * The request itself was carried out, so its number is not used again: the reply to
	 * the next one would be that of this one.
	 */
	@Test
	@UnsoundQueues("a key is foreign for a moment")
	void aMoveNearThatFailsFailsItsCallAndNoLaterOne() {
		List<String> uids = packed(30);
		commands(MessageCommand.Action.CANCEL, uids.get(0), "");
		RScoredSortedSet<String> due = redis.client().getScoredSortedSet(this.queue.key("far"), StringCodec.INSTANCE);
		byte[] kept = due.dump();
		redis.client().getBucket(this.queue.key("far"), StringCodec.INSTANCE).set("foreign");
		List<MessageCommand> several = List.of(command(MessageCommand.Action.FREE, "key", ""),
				command(MessageCommand.Action.SCHEDULE, uids.get(1), "+5000"),
				command(MessageCommand.Action.CANCEL, uids.get(4), ""));
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> TestQueue.get(CommandBatcher.send(several, this::batch)))
			.withMessageContaining("SCHEDULE was not carried out on the message '" + uids.get(1))
			.withMessageContaining("its chunk could not be brought near");
		due.delete();
		due.restore(kept);
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(2), "").isDone()).isTrue();
		assertThat(commands(MessageCommand.Action.SCHEDULE, uids.get(3), "+5000").isDone()).isTrue();
		List<String> described = describe(uids);
		assertThat(described.get(2)).isEqualTo("gone");
		assertThat(described.get(1)).startsWith("SCHEDULED");
		assertThat(described.get(4)).as("behind the one that failed").startsWith("SCHEDULED");
		assertThat(this.rollbacks).isEmpty();
	}

	/**
	 * The request in which it is repeated is carried out without it.
	 */
	@Test
	@UnsoundQueues("the check does not have the database")
	void aRepeatedCommandWaitsForADatabaseThatIsAwayForAMoment() {
		List<String> uids = packed(30);
		MemoryColdChunks database = moveToDatabase();
		commands(MessageCommand.Action.CANCEL, uids.get(0), "");
		Map<String, byte[]> before = keys();
		assertThat(commands(MessageCommand.Action.SCHEDULE, uids.get(1), "+5000000").isDone()).isTrue();
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(2), "").isDone()).isTrue();
		List<String> expected = describe(uids);
		goBack(before);
		database.away(true);
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> commands(MessageCommand.Action.CANCEL, uids.get(3), ""))
			.withMessageContaining("Commands on the queue '" + this.queue.name + "' that Redis has forgotten")
			.withMessageContaining("the database of cold messages, which cannot be asked");
		database.away(false);
		this.admin.coldTier().use(database); // which forgets that it was away
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(3), "").isDone()).isTrue();
		expected.set(3, "gone");
		assertThat(describe(uids)).map((each) -> each.replaceAll("SCHEDULED \\S+", "SCHEDULED"))
			.isEqualTo(expected.stream().map((each) -> each.replaceAll("SCHEDULED \\S+", "SCHEDULED")).toList());
		Instant soon = Instant.now().plus(Duration.ofDays(1));
		assertThat(TestQueue.get(this.admin.messages().find(this.queue.name, List.of(uids.get(1)))).messages())
			.singleElement()
			.satisfies((message) -> assertThat(message.since()).isBefore(soon));
		assertThat(this.rollbacks).singleElement()
			.satisfies(
					(rollback) -> assertThat(List.of(rollback.repeated(), rollback.missing())).containsExactly(2L, 0L));
	}

	private MemoryColdChunks moveToDatabase() {
		MemoryColdChunks database = new MemoryColdChunks(System::currentTimeMillis);
		this.admin.coldTier().use(database);
		List<ColdChunks.Saved> saved = TestQueue.get(this.admin.far().chunks(this.queue.name, true, 100, null, null))
			.chunks()
			.stream()
			.map((each) -> new ColdChunks.Saved("test", ColdTier.key(this.queue.name, each), each.dueMillis(),
					each.latestMillis(), each.left(), each.packed()))
			.toList();
		TestQueue.get(database.save(saved));
		assertThat(TestQueue.get(new ColdScript(this.admin.runner()).chill(this.queue.name, saved)))
			.isEqualTo(saved.size());
		return database;
	}

	/**
	 * An answer without them would be wrong.
	 */
	@Test
	@UnsoundQueues("a chunk is in a database that nobody has")
	void aSearchWithoutTheDatabaseOfItsMessagesFails() {
		packed(30);
		chill();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> search())
			.withMessageContaining("this application has no such database");
	}

	private PackedReader.Scan search() {
		return TestQueue.get(this.admin.packed().scan(this.queue.name, PackedReader.At.BEGINNING, 0, 100));
	}

	/**
	 * Has the bytes of the first chunk in a database, as {@code chill.lua} does.
	 */
	private void chill() {
		RMap<String, String> all = redis.client().getMap(this.queue.key("far:chunks"), StringCodec.INSTANCE);
		all.put(chunks().get(0).number(), "*" + "0".repeat(40));
	}

	/**
	 * That a chunk goes away between a command and its repetition cannot be mended, and
	 * holds up nothing.
	 */
	@Test
	@UnsoundQueues("a chunk is gone")
	void aRepeatedCommandWhoseChunkIsNotThereIsCountedAsMissing() {
		List<String> uids = packed(30);
		commands(MessageCommand.Action.CANCEL, uids.get(0), "");
		Map<String, byte[]> before = keys();
		assertThat(commands(MessageCommand.Action.SCHEDULE, uids.get(1), "+5000").isDone()).isTrue();
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(2), "").isDone()).isTrue();
		before.keySet().removeIf((key) -> key.endsWith(":far") || key.endsWith(":far:chunks"));
		goBack(before);
		assertThat(commands(MessageCommand.Action.CANCEL, uids.get(3), "").isDone()).isTrue();
		assertThat(this.rollbacks).singleElement()
			.satisfies(
					(rollback) -> assertThat(List.of(rollback.repeated(), rollback.missing())).containsExactly(1L, 1L));
		assertThat(this.admin.messages().outcomes(this.queue.name, uids.subList(0, 4)).join())
			.extracting(StoredMessages.Outcome::state)
			.containsExactly(MessageState.UNKNOWN, MessageState.SCHEDULED, MessageState.UNKNOWN, MessageState.UNKNOWN);
	}

	@Test
	void chunksAreReadByTheirNumbersThoughOneRequestGivesOne() {
		for (int i = 0; i < 3; i++) {
			send(20, FAR.plusDays(i));
			pack();
		}
		List<String> numbers = chunks().stream().map(FarScript.Chunk::number).toList();
		AdminScripts narrow = admin(ReplayMemory.NONE, 1);
		assertThat(TestQueue.get(narrow.far().named(this.queue.name, numbers)).chunks()).hasSize(3)
			.extracting(FarScript.Chunk::number)
			.isEqualTo(numbers);
	}

	@Test
	@UnsoundQueues("chunks are damaged")
	void aPurgeRemovesWhatStandsBehindChunksThatCannotBeRead() {
		for (int i = 0; i < 8; i++) {
			Duration delay = FAR.plusDays(i);
			send(20, delay);
			pack();
		}
		List<FarScript.Chunk> chunks = chunks();
		assertThat(chunks).hasSize(8);
		RMap<byte[], byte[]> blobs = redis.client().getMap(this.queue.key("far:chunks"), ByteArrayCodec.INSTANCE);
		chunks.subList(0, 7).forEach((chunk) -> blobs.put(chunk.number().getBytes(), new byte[] { 9 }));
		String lane = TestQueue.get(this.admin.steer().openLane(this.queue.name));
		int removed = 0;
		int steps = 0;
		PurgeScript.Result result;
		do {
			result = TestQueue
				.get(new PurgeScript(this.admin).run(this.queue.name, lane, ++steps, MessageState.SCHEDULED, 1_000));
			removed += result.removed();
		}
		while (result.hasNext() && steps < 10);
		assertThat(removed).isEqualTo(20);
		assertThat(steps).isLessThan(10);
		assertThat(chunks()).hasSize(7);
	}

	/**
	 * Else they would be missing for ten minutes.
	 */
	@Test
	@UnsoundQueues("a chunk is in a database that nobody has")
	void aPurgeThatFailsAtAChunkHasRecurringMessagesRestored() {
		packed(30);
		chill();
		send(3, Duration.ofSeconds(100));
		List<String> restored = new CopyOnWriteArrayList<>();
		this.admin.whenTicksGo((name) -> CompletableFuture.completedFuture(null), restored::add);
		String lane = TestQueue.get(this.admin.steer().openLane(this.queue.name));
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> TestQueue
				.get(new PurgeScript(this.admin).run(this.queue.name, lane, 1, MessageState.SCHEDULED, 1_000)))
			.withMessageContaining("this application has no such database");
		assertThat(restored).containsExactly(this.queue.name);
	}

	private static AdminScripts admin(ReplayMemory memory, int maxBytes) {
		return new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer, memory,
				new RedisAvailability(timer), LuaScripts.load(), maxBytes);
	}

	private List<NewMessage> send(int count, Duration delay) {
		List<NewMessage> sent = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			sent.add(this.queue.message("m" + i, delay.plusSeconds(i)));
		}
		this.queue.sender().send(sent.toArray(NewMessage[]::new));
		return sent;
	}

	private List<String> packed(int count) {
		List<NewMessage> sent = send(count, FAR);
		pack();
		assertThat(chunks()).singleElement().extracting(FarScript.Chunk::left).isEqualTo(count);
		return sent.stream().map(NewMessage::uid).toList();
	}

	private void pack() {
		List<PackedMessages.Entry> found = TestQueue
			.get(this.admin.far().look(this.queue.name, null, Duration.ofHours(1)))
			.messages();
		TestQueue.get(this.admin.names().registerFar(this.queue.name));
		assertThat(TestQueue.get(this.admin.far().pack(this.queue.name, found, Duration.ofMillis(1))))
			.isEqualTo(found.size());
	}

	private List<FarScript.Chunk> chunks() {
		return TestQueue.get(this.admin.far().chunks(this.queue.name, false, 100, null, null)).chunks();
	}

	private String argument(MessageCommand.Action action, String uid) {
		return switch (action) {
			case SCHEDULE -> MessageCommand.at(Instant.now().plus(Duration.ofDays(2)));
			case BURY -> "{\"cause\":\"buried\"}";
			case CHANGE -> CommandStatesIntegrationTests
				.edit(TestQueue.get(this.admin.messages().find(this.queue.name, List.of(uid))).messages().get(0));
			default -> "";
		};
	}

	private MessageCommand command(MessageCommand.Action action, String name, String argument) {
		return new MessageCommand(action, name, argument, store.newLane());
	}

	private CompletableFuture<CommandReply> batch(List<MessageCommand> some) {
		return this.commands.submit(this.queue.name, some, true);
	}

	private CommandReply.Result commands(MessageCommand.Action action, String name, String argument) {
		return TestQueue.get(CommandBatcher.send(List.of(command(action, name, argument)), this::batch)).get(0);
	}

	/**
	 * What became of each message.
	 */
	private List<String> describe(List<String> uids) {
		List<StoredMessage> found = TestQueue.get(this.admin.messages().find(this.queue.name, uids)).messages();
		Map<String, String> described = new HashMap<>();
		for (StoredMessage each : found) {
			boolean scheduled = each.state() == MessageState.SCHEDULED;
			described.put(each.id(), each.state() + " " + (scheduled ? each.since() : "") + " " + each.failures() + " "
					+ new String(each.envelope()).replaceAll("\"(dueAt|sentAt)\":\\d+", ""));
		}
		return new ArrayList<>(uids.stream().map((uid) -> described.getOrDefault(uid, "gone")).toList());
	}

	private Map<String, byte[]> keys() {
		Map<String, byte[]> dumped = new HashMap<>();
		redis.client()
			.getKeys()
			.getKeys(KeysScanOptions.defaults().pattern(this.queue.key("*")))
			.forEach((key) -> dumped.put(key, redis.client().getBucket(key).dump()));
		return dumped;
	}

	private void goBack(Map<String, byte[]> to) {
		keys().keySet().forEach((key) -> redis.client().getKeys().delete(key));
		to.forEach((key, value) -> redis.client().getBucket(key).restore(value));
	}

	/**
	 * When Redis kept what it goes back to.
	 */
	enum Moment {

		/**
		 * Before the first request.
		 */
		BEFORE,

		/**
		 * Behind it, before the chunk came near.
		 */
		BETWEEN,

		/**
		 * When the chunk is near, before the second request.
		 */
		NEAR,

		/**
		 * Behind that.
		 */
		BEHIND

	}

}
