package io.redelay.queue.script.admin;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.LaneScript;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.WorkReply;
import io.redelay.queue.script.WorkRequest;
import io.redelay.queue.script.WorkScript;
import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.TestScripts;
import io.redelay.queue.work.LogLine;
import io.redelay.test.TestRedis;
import io.redelay.test.UnsoundQueues;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what handlers keep beside their messages, as the scripts see it.
 */
class WorkIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static QueueScripts store;

	private static AdminScripts admin;

	private final TestQueue queue = new TestQueue(store);

	private final TestQueue.Consumer consumer = this.queue.consumer();

	@BeforeAll
	static void createStore() {
		store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
	}

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@Test
	void theNextClaimBringsTheCheckpoint() {
		ClaimReply.Message message = claimed();
		assertThat(message.checkpoint()).isNull();
		assertThat(keep(message, 1, checkpoint("{\"page\":1}"), progress("half")).lost()).isEmpty();
		this.consumer.claim(0, retry(message));
		ClaimReply.Message next = this.consumer.claim(10).messages().get(0);
		assertThat(next.checkpoint()).asString(StandardCharsets.UTF_8).isEqualTo("{\"page\":1}");
		assertThat(next.failures()).isEqualTo(1);
		assertThat(dump().work()).containsEntry(next.uid() + "/progress", "half");
	}

	@Test
	void aClaimThatIsRepeatedBringsTheCheckpointAgain() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"));
		ClaimRequest request = TestQueue.request(this.consumer.lane, 2, TestQueue.LEASE, 1, 1000, false, Duration.ZERO,
				List.of(giveBack(message)));
		TestQueue.get(store.claim().run(this.queue.name, request));
		assertThat(TestQueue.get(store.claim().run(this.queue.name, request)).messages()).singleElement()
			.satisfies((again) -> assertThat(again.checkpoint()).asString().isEqualTo("1"));
	}

	@Test
	void whatALaneDoesNotHoldIsNotKept() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"));
		this.consumer.claim(0, retry(message));
		assertThat(keep(message, 2, checkpoint("2")).lost()).containsExactly(message.uid());
		TestQueue.Consumer other = this.queue.consumer();
		ClaimReply.Message next = other.claim(1).messages().get(0);
		assertThat(keep(message, 3, checkpoint("3")).lost()).containsExactly(message.uid());
		assertThat(next.checkpoint()).asString().isEqualTo("1");
		assertThat(dump().work()).containsEntry(message.uid() + "/checkpoint", "1");
	}

	@Test
	@UnsoundQueues("a lane without a deadline")
	void aDeadLaneKeepsNothing() {
		ClaimReply.Message message = claimed();
		redis.client().getScoredSortedSet(this.queue.key("lanes")).clear();
		assertThat(keep(message, 1, checkpoint("1")).status()).isEqualTo(LaneStatus.GONE);
		assertThat(dump().work()).isEmpty();
	}

	@Test
	void aLaneOfWhichRequestsAreForgottenKeepsNothing() {
		ClaimReply.Message message = claimed();
		WorkReply reply = keep(this.consumer.lane, 7, message, 1, checkpoint("1"));
		assertThat(reply.status()).isEqualTo(LaneStatus.BEHIND);
		assertThat(dump().work()).isEmpty();
	}

	@Test
	void whatComesAgainLaterIsNotKeptAgain() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"));
		keep(message, 2, checkpoint("2"));
		WorkReply late = keep(message, 1, checkpoint("1"));
		assertThat(late.lost()).isEmpty();
		assertThat(dump().work()).containsEntry(message.uid() + "/checkpoint", "2");
	}

	@Test
	void linesThatComeAgainWithOthersAreThereOnce() {
		ClaimReply.Message message = claimed();
		keep(message, 1, lines("d", 0, "a", "b"));
		keep(message, 2, lines("d", 1, "b", "c"));
		keep(message, 3, lines("d", 0, "a", "b", "c"));
		assertThat(log(message)).containsExactly("a", "b", "c");
		assertThat(droppedLines(message)).isZero();
	}

	@Test
	void linesThatTheDeliveryDroppedAreCounted() {
		ClaimReply.Message message = claimed();
		keep(message, 1, lines("d", 3, "d"));
		keep(message, 2, lines("d", 6, "g"));
		assertThat(log(message)).containsExactly("d", "g");
		assertThat(droppedLines(message)).isEqualTo(5);
	}

	@Test
	void theOldestLinesOfAnyDeliveryGoFirst() {
		ClaimReply.Message message = claimed();
		keep(message, 1, lines("d", 0, "1:a", "b"));
		keep(message, 2, lines("e", 0, "c", "d", "e"));
		assertThat(log(message)).containsExactly("b", "c", "d", "e");
		assertThat(droppedLines(message)).isEqualTo(1);
	}

	@Test
	void aLogThatAnotherProgramWroteIsReplaced() {
		ClaimReply.Message message = claimed();
		redis.client()
			.getMap(this.queue.key("work"), StringCodec.INSTANCE)
			.put(message.uid() + "/log", "not a log\n5:x");
		keep(message, 1, lines("d", 0, "a"));
		assertThat(log(message)).containsExactly("a");
	}

	@Test
	void theFirstThatALaterDeliveryKeepsCountsWhateverItsNumber() {
		ClaimReply.Message message = claimed();
		keep(message, 5, checkpoint("1"));
		this.consumer.claim(0, giveBack(message));
		// under the same number as the first one
		TestQueue.Consumer other = this.queue.consumer();
		ClaimReply.Message next = other.claim(1).messages().get(0);
		assertThat(next.claim()).isEqualTo(message.claim());
		keep(other.lane, 1, next, 1, checkpoint("2"));
		assertThat(dump().work()).containsEntry(message.uid() + "/checkpoint", "2");
	}

	@Test
	void aLaneThatTakesOverGoesOn() {
		ClaimReply.Message message = claimed();
		keep(message, 3, checkpoint("1"));
		String lane = store.newLane();
		TestQueue.get(new LaneScript(store).open(this.queue.name, lane, TestQueue.LEASE, 1));
		TestQueue.get(new ResumeScript(store.runner()).run(this.queue.name,
				new ResumeScript.Request(lane, 2, TestQueue.LEASE, this.consumer.lane, true, true,
						List.of(new ResumeScript.Holding(message.uid(), message.claim(), false)))));
		assertThat(keep(lane, 2, message, 4, checkpoint("2")).lost()).isEmpty();
		assertThat(keep(message, 5, checkpoint("3")).lost()).containsExactly(message.uid());
		assertThat(dump().work()).containsEntry(message.uid() + "/checkpoint", "2");
	}

	@Test
	void aCheckpointThatIsClearedIsGone() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"));
		keep(message, 2, checkpoint(""));
		this.consumer.claim(0, retry(message));
		assertThat(this.consumer.claim(10).messages().get(0).checkpoint()).isNull();
	}

	@Test
	void attemptsAreForgottenWithACheckpoint() {
		ClaimReply.Message message = claimed();
		this.consumer.claim(0, retry(message));
		message = this.consumer.claim(1).messages().get(0);
		keep(message, 1, checkpoint("1"), WorkCodec.section('r', new byte[0]));
		this.consumer.claim(0, retry(message));
		assertThat(this.consumer.claim(1).messages().get(0).failures()).isEqualTo(1);
	}

	@Test
	void theEndOfAMessageLeavesNothing() {
		ClaimReply.Message other = claimed();
		keep(other, 1, checkpoint("other"));
		for (int way = 0; way < 4; way++) {
			ClaimReply.Message message = claimed();
			keep(message, 1, checkpoint("1"), progress("all"));
			switch (way) {
				case 0 -> this.consumer.claim(0, Settlement.ack(message.uid(), message.claim()));
				case 1 -> {
					steer(MessageCommand.Action.CANCEL, message.uid());
					this.consumer.claim(0, retry(message));
				}
				case 2 -> {
					this.consumer.claim(0, Settlement.retry(message.uid(), message.claim(), Duration.ofHours(1)));
					steer(MessageCommand.Action.CANCEL, message.uid());
				}
				default -> {
					this.consumer.claim(0, giveBack(message));
					purge(MessageState.READY);
				}
			}
			assertThat(dump().work()).as("way %d", way)
				.containsOnlyKeys(other.uid() + "/checkpoint", other.uid() + "/written");
		}
		this.consumer.claim(0, Settlement.ack(other.uid(), other.claim()));
		assertThat(dump().work()).isEmpty();
		assertThat(dump().meta()).doesNotContainKeys("work", "keyed");
	}

	@Test
	void oneThatEndsLeavesWhatIsKeptOfOthers() {
		ClaimReply.Message first = claimed();
		ClaimReply.Message second = claimed();
		keep(first, 1, checkpoint("1"), progress("p"));
		keep(second, 1, checkpoint("2"));
		this.consumer.claim(0, Settlement.ack(first.uid(), first.claim()));
		assertThat(dump().work()).containsOnlyKeys(second.uid() + "/checkpoint", second.uid() + "/written");
	}

	@Test
	void aDeadMessageKeepsAllAndGetsItBackWhenItIsRedriven() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("12345"), progress("half"));
		this.consumer.claim(0, Settlement.bury(message.uid(), message.claim(), "{}"));
		StoreDump dead = dump();
		assertThat(dead.work()).isEmpty();
		assertThat(dead.deadMessages()).containsEntry(message.uid() + "/checkpoint", "12345")
			.containsEntry(message.uid() + "/progress", "half")
			.containsEntry("@work", "1");
		int others = dead.deadMessages().get(message.uid()).length() + "{}".length();
		assertThat(dead.deadMessages()).containsEntry("@bytes", Integer.toString(others + "12345half".length()));
		steer(MessageCommand.Action.REDRIVE, message.uid());
		assertThat(dump().deadMessages()).isEmpty();
		ClaimReply.Message next = this.queue.consumer().claim(1).messages().get(0);
		assertThat(next.uid()).isNotEqualTo(message.uid());
		assertThat(next.checkpoint()).asString().isEqualTo("12345");
		assertThat(dump().work()).containsOnlyKeys(next.uid() + "/checkpoint", next.uid() + "/progress");
	}

	@Test
	void checkpointsCountForTheBytesOfARequestThatRedrives() {
		AdminScripts bounded = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer,
				ReplayMemory.NONE, new RedisAvailability(timer), LuaScripts.load(), 5_000);
		List<MessageCommand> commands = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			ClaimReply.Message message = claimed();
			keep(message, 1, checkpoint("7".repeat(6_000)));
			this.consumer.claim(0, Settlement.bury(message.uid(), message.claim(), "{}"));
			commands.add(new MessageCommand(MessageCommand.Action.REDRIVE, message.uid(), "", store.newLane()));
		}
		String lane = TestQueue.get(bounded.steer().openLane(this.queue.name));
		assertThat(TestQueue.get(bounded.steer().run(this.queue.name, lane, 1, commands)).results())
			.extracting(CommandReply.Result::outcome)
			.containsExactly(CommandReply.Result.Outcome.DONE, CommandReply.Result.Outcome.LATER);
	}

	@Test
	void aDeadMessageThatIsRemovedLeavesNothing() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"));
		this.consumer.claim(0, Settlement.bury(message.uid(), message.claim(), "{}"));
		purge(MessageState.DEAD);
		assertThat(dump().deadMessages()).isEmpty();
	}

	@Test
	void aCompletedMessageKeepsItsProgressAndNotItsCheckpoint() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"), progress("all"));
		this.consumer.claim(0, Settlement.done(message.uid(), message.claim(), new Completion(
				List.of(new KeptMessage(null, new RetentionBounds(Duration.ofHours(1), 10, 10_000))), (counted) -> {
				})));
		assertThat(dump().work()).isEmpty();
		assertThat(dump().completedMessages()).containsEntry(message.uid() + "/progress", "all")
			.hasEntrySatisfying(message.uid(), (envelope) -> assertThat(envelope).contains("payload"))
			.containsEntry("@work", "1")
			.doesNotContainKey(message.uid() + "/checkpoint");
		purge(MessageState.COMPLETED);
		assertThat(dump().completedMessages()).isEmpty();
	}

	@Test
	void aMessageThatGetsAnotherUidKeepsAll() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"), progress("half"));
		this.consumer.claim(0, giveBack(message));
		steer(MessageCommand.Action.RUN, message.uid());
		ClaimReply.Message next = this.consumer.claim(1).messages().get(0);
		assertThat(next.uid()).isNotEqualTo(message.uid());
		assertThat(next.checkpoint()).asString().isEqualTo("1");
		assertThat(dump().work()).containsOnlyKeys(next.uid() + "/checkpoint", next.uid() + "/progress");
	}

	@Test
	void aMessageWhoseLaneDiedKeepsAll() {
		ClaimReply.Message message = claimed();
		keep(message, 1, checkpoint("1"));
		this.consumer.close();
		ClaimReply.Message next = this.queue.consumer().claim(1).messages().get(0);
		assertThat(next.suspect()).isTrue();
		assertThat(next.checkpoint()).asString().isEqualTo("1");
	}

	@Test
	void aSuspectKeepsItsCheckpoint() {
		ClaimReply.Message message = claimed();
		this.consumer.close();
		TestQueue.Consumer other = this.queue.consumer();
		ClaimReply.Message suspect = other.claim(1).messages().get(0);
		assertThat(suspect.uid()).isEqualTo(message.uid());
		assertThat(keep(other.lane, 1, suspect, 1, checkpoint("1")).lost()).isEmpty();
		assertThat(dump().work()).containsEntry(message.uid() + "/checkpoint", "1");
	}

	@Test
	void largeCheckpointsCountForTheBytesOfAClaim() {
		ClaimReply.Message first = claimed();
		ClaimReply.Message second = claimed();
		String large = '"' + "x".repeat(60_000) + '"';
		keep(first, 1, checkpoint(large));
		keep(second, 1, checkpoint(large));
		this.consumer.claim(0, giveBack(first), giveBack(second));
		assertThat(TestQueue.get(this.consumer.claimAsync(10, 100_000)).messages()).hasSize(1);
		assertThat(TestQueue.get(this.consumer.claimAsync(10, 100_000)).messages()).hasSize(1);
	}

	@Test
	void aDeletedQueueLeavesNothing() {
		keep(claimed(), 1, checkpoint("1"));
		TestQueue.get(new DeleteScript(admin).run(this.queue.name, true));
		assertThat(dump().work()).isEmpty();
	}

	private ClaimReply.Message claimed() {
		this.queue.sender().send(this.queue.message("work"));
		return this.consumer.claim(1).messages().get(0);
	}

	private WorkReply keep(ClaimReply.Message message, long number, byte[]... sections) {
		return keep(this.consumer.lane, 1, message, number, sections);
	}

	private WorkReply keep(String lane, long answered, ClaimReply.Message message, long number, byte[]... sections) {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		Arrays.stream(sections).forEach(all::writeBytes);
		return TestQueue.get(new WorkScript(store).run(this.queue.name,
				new WorkRequest(lane, TestQueue.LEASE, answered, ClaimLimits.NONE,
						List.of(new WorkRequest.Entry(message.uid(), message.claim(), number, all.toByteArray())))));
	}

	/**
	 * Lines for a log that has four at most.
	 */
	private static byte[] lines(String delivery, long first, String... texts) {
		List<LogLine> lines = Arrays.stream(texts).map((text) -> new LogLine(Instant.EPOCH, text)).toList();
		return WorkCodec.section('l', WorkCodec.lines(delivery, first, lines, 4, 8192));
	}

	private List<String> log(ClaimReply.Message message) {
		return storedLog(message).lines().stream().map(LogLine::text).toList();
	}

	private long droppedLines(ClaimReply.Message message) {
		return storedLog(message).dropped();
	}

	private WorkCodec.StoredLog storedLog(ClaimReply.Message message) {
		return WorkCodec.log(dump().work().get(message.uid() + "/log").getBytes(StandardCharsets.UTF_8));
	}

	private static byte[] checkpoint(String json) {
		return WorkCodec.section('c', json.getBytes(StandardCharsets.UTF_8));
	}

	private static byte[] progress(String text) {
		return WorkCodec.section('p', text.getBytes(StandardCharsets.UTF_8));
	}

	private static Settlement retry(ClaimReply.Message message) {
		return Settlement.retry(message.uid(), message.claim(), Duration.ZERO);
	}

	private static Settlement giveBack(ClaimReply.Message message) {
		return Settlement.giveBack(message.uid(), message.claim(), Duration.ZERO);
	}

	private void steer(MessageCommand.Action action, String name) {
		String lane = TestQueue.get(admin.steer().openLane(this.queue.name));
		TestQueue.get(admin.steer()
			.run(this.queue.name, lane, 1, List.of(new MessageCommand(action, name, "", store.newLane()))));
	}

	private void purge(MessageState state) {
		String lane = TestQueue.get(admin.steer().openLane(this.queue.name));
		TestQueue.get(new PurgeScript(admin).run(this.queue.name, lane, 1, state, 100));
	}

	private StoreDump dump() {
		return StoreDump.of(redis.client(), this.queue.name);
	}

}
