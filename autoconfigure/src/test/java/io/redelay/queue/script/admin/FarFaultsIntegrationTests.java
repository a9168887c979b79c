package io.redelay.queue.script.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What fails in the midst of a move of packed messages, one row of the guide's table
 * each.
 */
class FarFaultsIntegrationTests {

	private static final Path GUIDE = Path.of("../docs/src/docs/asciidoc/inside.adoc");

	private static final Pattern TEST = Pattern.compile("`(\\w+Tests)#(\\w+)`");

	private static final int MESSAGES = 12;

	private static final Duration DELAY = Duration.ofHours(5);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final String name = TestRedis.queue();

	private final StoreWorkbench bench = new StoreWorkbench(redis.client(), this.name, timer);

	private final TestQueue queue = new TestQueue(this.name, this.bench.store);

	// Ahead of that of Redis, so that nothing expires before its time.
	private final long start = System.currentTimeMillis() + 3_600_000;

	private final List<String> uids = send();

	private int cancelled;

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@Test
	void anInstanceDiesBeforeItPacks() {
		StoreDump before = this.bench.dump();
		look();
		assertSame(before);
		pack();
		assertPacked(MESSAGES);
	}

	@Test
	void anInstanceDiesBehindItsPacking() {
		pack();
		StoreDump packed = this.bench.dump();
		assertThat(look()).as("for another one to pack").isEmpty();
		assertSame(packed);
		bringNear();
		assertAllComeAtTheirTime();
	}

	@Test
	void anInstanceDiesBeforeAChunkComesNear() {
		pack();
		StoreDump packed = this.bench.dump();
		chunk();
		assertSame(packed);
		bringNear();
		assertAllComeAtTheirTime();
	}

	@Test
	void aPackingComesTwiceOrLate() {
		List<PackedMessages.Entry> found = look();
		assertThat(pack(found)).isTrue();
		assertThat(pack(found)).isFalse();
		assertPacked(MESSAGES);
		bringNear();
		this.bench.setClock(this.start + DELAY.toMillis());
		assertThat(pack(found)).as("when they are due").isFalse();
		assertPacked(0);
		assertAllComeAtTheirTime();
	}

	@Test
	void aMoveNearComesTwiceOrLate() {
		pack();
		FarScript.Chunk chunk = chunk();
		thaw(chunk);
		StoreDump near = this.bench.dump();
		thaw(chunk);
		assertSame(near);
		command(MessageCommand.Action.CANCEL, this.uids.get(0), "");
		pack();
		StoreDump packed = this.bench.dump();
		thaw(chunk); // of another one, which may have its number
		assertSame(packed);
		bringNear();
		assertThat(this.bench.dump().scheduled()).hasSize(MESSAGES - 1);
	}

	@Test
	void redisGoesBackToBeforeAPacking() {
		this.bench.takeSnapshot();
		StoreDump before = this.bench.dump();
		pack();
		FarScript.Chunk chunk = chunk();
		this.bench.goBack();
		assertThat(this.bench.dump().scheduled()).isEqualTo(before.scheduled());
		assertPacked(0);
		thaw(chunk);
		assertThat(this.bench.dump().scheduled()).as("of a chunk that is not there").isEqualTo(before.scheduled());
		pack();
		bringNear();
		assertAllComeAtTheirTime();
	}

	@Test
	void redisGoesBackToBeforeAMoveNear() {
		pack();
		this.bench.takeSnapshot();
		bringNear();
		this.bench.setClock(this.start + DELAY.toMillis());
		TestQueue.Consumer consumer = this.queue.consumer();
		List<ClaimReply.Message> messages = consumer.claim(3).messages();
		consumer.claim(0,
				messages.stream().map((each) -> Settlement.ack(each.uid(), each.claim())).toArray(Settlement[]::new));
		this.bench.goBack();
		assertPacked(MESSAGES);
		bringNear();
		// Their listener did not tell that it was done with them: see resume.
		assertAllComeAtTheirTime();
	}

	@Test
	void theClockJumpsOverTheTimeOfPackedMessages() {
		pack();
		this.bench.setClock(this.start + DELAY.plusDays(2).toMillis());
		assertThat(this.queue.consumer().claim(100).messages()).isEmpty();
		bringNear();
		assertAllComeAtTheirTime();
	}

	@Test
	void theClockGoesBackWhileMessagesMove() {
		this.bench.setClock(this.start + DELAY.minusSeconds(1).toMillis());
		pack(look(Duration.ofMillis(1)));
		this.bench.setClock(this.start);
		bringNear();
		assertThat(this.queue.consumer().claim(100).messages()).isEmpty();
		assertAllComeAtTheirTime();
	}

	@Test
	void redisForgetsItsScripts() {
		List<PackedMessages.Entry> found = look();
		this.bench.flushScripts();
		assertThat(pack(found)).isTrue();
		FarScript.Chunk chunk = chunk();
		this.bench.flushScripts();
		thaw(chunk);
		assertAllComeAtTheirTime();
	}

	@Test
	void aCommandComesBetweenTheStepsOfAMove() {
		List<PackedMessages.Entry> found = look();
		command(MessageCommand.Action.SCHEDULE, this.uids.get(1),
				MessageCommand.at(Instant.ofEpochMilli(this.start).plus(DELAY.multipliedBy(2))));
		assertThat(pack(found)).isFalse();
		pack();
		FarScript.Chunk chunk = chunk();
		command(MessageCommand.Action.CANCEL, this.uids.get(2), "");
		thaw(chunk);
		assertThat(this.bench.dump().scheduled()).hasSize(MESSAGES - 1)
			.containsEntry(this.uids.get(1), this.start + DELAY.multipliedBy(2).toMillis())
			.doesNotContainKey(this.uids.get(2));
		assertPacked(0);
	}

	@Test
	void twoInstancesMoveTheSameMessages() {
		List<PackedMessages.Entry> some = look();
		List<PackedMessages.Entry> others = look();
		assertThat(pack(some.subList(0, 8))).isTrue();
		assertThat(pack(others)).isFalse();
		assertThat(pack(others.subList(8, MESSAGES))).isTrue();
		List<FarScript.Chunk> chunks = chunks();
		chunks.forEach(this::thaw);
		chunks.forEach(this::thaw);
		assertAllComeAtTheirTime();
	}

	/**
	 * A row of the table that names no test, or one that is not there, is not kept true.
	 */
	@Test
	void eachRowOfTheTableHasItsTest() throws IOException {
		String text = Files.readString(GUIDE);
		int begin = text.indexOf("[[far-faults]]");
		assertThat(begin).isPositive();
		int from = text.indexOf("|===", begin) + 4;
		List<String> rows = Stream.of(text.substring(from, text.indexOf("|===", from)).split("\n\n"))
			.map(String::strip)
			.filter((row) -> !row.isEmpty() && !row.startsWith("|In the midst"))
			.toList();
		List<String> own = new ArrayList<>();
		for (String row : rows) {
			Matcher matcher = TEST.matcher(row);
			assertThat(matcher.find()).as(row).isTrue();
			do {
				assertThat(source(matcher.group(1))).as(row).contains("\tvoid " + matcher.group(2) + "(");
				if (matcher.group(1).equals(getClass().getSimpleName())) {
					own.add(matcher.group(2));
				}
			}
			while (matcher.find());
		}
		own.add("eachRowOfTheTableHasItsTest");
		assertThat(Stream.of(getClass().getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(Test.class))
			.map((method) -> method.getName())).containsExactlyInAnyOrderElementsOf(own);
	}

	private static String source(String type) throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
			return Files.readString(files.filter((file) -> file.endsWith(type + ".java")).findFirst().orElseThrow());
		}
	}

	private List<String> send() {
		this.bench.setClock(this.start);
		List<NewMessage> sent = new ArrayList<>();
		for (int i = 0; i < MESSAGES; i++) {
			sent.add(this.queue.messageAt("m" + i, Instant.ofEpochMilli(this.start + DELAY.toMillis() + 10 * i)));
		}
		this.queue.sender().send(sent);
		return sent.stream().map(NewMessage::uid).toList();
	}

	private List<PackedMessages.Entry> look() {
		return look(Duration.ofHours(1));
	}

	private List<PackedMessages.Entry> look(Duration beyond) {
		return TestQueue.get(this.bench.admin.far().look(this.name, null, beyond)).messages();
	}

	private void pack() {
		assertThat(pack(look())).isTrue();
	}

	private boolean pack(List<PackedMessages.Entry> messages) {
		TestQueue.get(this.bench.admin.names().registerFar(this.name));
		return TestQueue.get(this.bench.admin.far().pack(this.name, messages, Duration.ofMillis(1))) > 0;
	}

	private List<FarScript.Chunk> chunks() {
		return TestQueue.get(this.bench.admin.far().chunks(this.name, true, 100, null, null)).chunks();
	}

	private FarScript.Chunk chunk() {
		List<FarScript.Chunk> chunks = chunks();
		assertThat(chunks).hasSize(1);
		return chunks.get(0);
	}

	private void thaw(FarScript.Chunk chunk) {
		TestQueue.get(this.bench.admin.far().thaw(this.name, chunk));
	}

	private void bringNear() {
		chunks().forEach(this::thaw);
		assertPacked(0);
	}

	private void command(MessageCommand.Action action, String uid, String argument) {
		assertThat(TestQueue
			.get(this.bench.admin.steer()
				.batcher(this.name)
				.send(List.of(new MessageCommand(action, uid, argument, this.bench.store.newLane()))))
			.get(0)
			.isDone()).isTrue();
		this.cancelled += (action == MessageCommand.Action.CANCEL) ? 1 : 0;
	}

	private void assertSame(StoreDump expected) {
		assertThat(this.bench.dump()).usingRecursiveComparison().ignoringFields("expiries").isEqualTo(expected);
	}

	private void assertPacked(int count) {
		StoreDump dump = this.bench.dump();
		assertThat(dump.packed()).hasSize(count);
		assertThat(dump.scheduled()).hasSize(MESSAGES - this.cancelled);
	}

	/**
	 * None before, and each once.
	 */
	private void assertAllComeAtTheirTime() {
		TestQueue.Consumer consumer = this.queue.consumer();
		long due = this.start + DELAY.toMillis();
		this.bench.setClock(due - 1);
		assertThat(consumer.claim(100).messages()).isEmpty();
		this.bench.setClock(due + 50);
		assertThat(consumer.claim(100).messages()).extracting(ClaimReply.Message::uid)
			.containsExactlyElementsOf(this.uids.subList(0, 6));
		this.bench.setClock(due + 10_000);
		assertThat(consumer.claim(100).messages()).extracting(ClaimReply.Message::uid)
			.containsExactlyElementsOf(this.uids.subList(6, MESSAGES));
	}

}
