package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.bundle.BundleDeath;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.engine.BundleEnds;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.LaneScript;
import io.redelay.queue.script.OutboxScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObserver;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bundles on a Redis that went back in time, when those who repeat what it has forgotten
 * come in an unfortunate order.
 */
class BundleReplayIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static QueueScripts store;

	private static AdminScripts admin;

	private final TestQueue callbacks = new TestQueue(store);

	private final TestQueue members = new TestQueue(store);

	private final NewMessage message = this.members.message("line")
		.inBundle(new BundleMembership(this.callbacks.name, "b"));

	private final Repeating sender = new Repeating();

	private final Repeating relay = new Repeating();

	@BeforeAll
	static void connect() {
		store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
	}

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@Test
	void anEndThatIsRepeatedBeforeItsMessageIsAddedAgainCounts() {
		this.relay.command(true, end("dead", "{\"queue\":\"q\",\"id\":\"x\"}"));
		assertThat(this.sender.command(true, opening("callback"), adding(), BundleCommand.close("b")))
			.endsWith("ENDED");
		BundleSummary summary = summary(MessageState.SCHEDULED);
		assertThat(summary.total()).isEqualTo(1);
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.deaths()).extracting(BundleDeath::id).containsExactly("x");
		assertThat(TestQueue.get(admin.bundles().bundles().pending(this.callbacks.name, "b", null)).relaying())
			.as("what has ended is to be sent")
			.isFalse();
	}

	@Test
	void anEndThatIsRepeatedBetweenCountsOnce() {
		this.sender.command(true, opening("callback"), adding());
		this.relay.command(true, end("acknowledged", ""));
		this.relay.command(false, end("acknowledged", ""));
		this.sender.command(true, BundleCommand.close("b"));
		assertThat(summary(MessageState.SCHEDULED).acknowledged()).isEqualTo(1);
	}

	@Test
	void aCallbackThatWasHandledIsNotAddedByAnInstanceThatDoesNotKnowThatRedisWentBack() {
		this.sender.command(false, opening("callback"), adding(), BundleCommand.close("b"));
		resume(new ResumeScript.Holding("callback", 1, true));
		assertThat(this.relay.command(false, end("acknowledged", ""))).isEqualTo("ENDED");
		assertThat(this.callbacks.consumer().claim(10).messages()).isEmpty();
		assertThat(browse(MessageState.SCHEDULED)).isEmpty();
	}

	@Test
	void aCallbackThatIsBeingHandledIsNotDeliveredTwice() {
		this.sender.command(false, opening("callback"), adding(), BundleCommand.close("b"));
		resume(new ResumeScript.Holding("callback", 1, false));
		assertThat(this.relay.command(false, end("acknowledged", ""))).isEqualTo("ENDED");
		assertThat(this.callbacks.consumer().claim(10).messages()).isEmpty();
		assertThat(browse(MessageState.IN_FLIGHT)).hasSize(1);
	}

	@Test
	void aMemberIsSentInTheStepThatAddsIt() {
		this.members.sender();
		this.sender.command(false, opening("callback"), direct(this.message), BundleCommand.close("b"));
		assertThat(notes(this.callbacks)).isEmpty();
		assertThat(this.members.consumer().claim(10).messages()).extracting(ClaimReply.Message::uid)
			.containsExactly(this.message.uid());
		this.sender.command(true, direct(this.message));
		assertThat(notes(this.callbacks)).as("what is pending is not sent again").isEmpty();
	}

	@Test
	void aMemberWaitsInTheOutboxIfItsQueueDoesNotTakeIt() {
		this.sender.command(false, opening("callback"), direct(this.message));
		assertThat(notes(this.callbacks)).hasSize(1);
		assertThat(new String(notes(this.callbacks).get(0).text(), StandardCharsets.UTF_8)).isEqualTo(
				new String(new NextMessage(this.members.name, this.message, null).text(), StandardCharsets.UTF_8));
	}

	@Test
	void whatIsRepeatedSinceRedisWentBackGoesThroughTheOutbox() {
		this.members.sender();
		this.sender.command(true, opening("callback"), direct(this.message));
		assertThat(notes(this.callbacks)).hasSize(1);
		assertThat(this.members.consumer().claim(10).messages()).isEmpty();
	}

	@Test
	void theEndsOfMembersAreNotedTogether() {
		this.members.sender();
		NewMessage second = this.members.message("line").inBundle(new BundleMembership(this.callbacks.name, "b"));
		NewMessage third = this.members.message("line").inBundle(new BundleMembership(this.callbacks.name, "b"));
		this.sender.command(false, opening("callback"), direct(this.message, second, third), BundleCommand.close("b"));
		TestQueue.Consumer consumer = this.members.consumer();
		consumer.claim(0,
				consumer.claim(10)
					.messages()
					.stream()
					.map((message) -> Settlement.ack(message.uid(), message.claim()))
					.toList());
		List<OutboxNote> notes = notes(this.members);
		assertThat(notes).hasSize(1);
		BundleEnds ends = new BundleEnds(admin.bundles(), JsonMapper.shared(), (queue) -> {
		});
		assertThat(TestQueue.get(ends.relay(this.members.name, notes)).done()).isEqualTo(notes);
		assertThat(summary(MessageState.READY).acknowledged()).isEqualTo(3);
	}

	@Test
	void whatIsSentInTheStepThatAddsItIsObservedByCommand() {
		this.members.sender();
		TestQueue unknown = new TestQueue(store);
		Observer observer = new Observer();
		admin.observers().add(observer);
		try {
			assertThat(this.sender.command(false, opening("callback"), direct(unknown, message("refused")),
					direct(message("sent"), message("sent"))))
				.isEqualTo("ADDED");
			assertThat(observer.sent).containsExactly(this.members.name, this.members.name);
			assertThat(this.sender.command(false, direct(unknown, message("refused")))).isEqualTo("NOTED");
			assertThat(this.sender.command(false, BundleCommand.cancelRest("b"), direct(message("late"))))
				.isEqualTo("CANCELLED");
			assertThat(observer.sent).hasSize(2);
		}
		finally {
			admin.observers().remove(observer);
		}
	}

	@ParameterizedTest
	@CsvSource({ "50, 0", "51, 51" })
	void aRequestSendsToSomeQueuesOnly(int queues, int noted) {
		List<BundleCommand> adding = new ArrayList<>(List.of(opening("callback")));
		List<BundleCommand.NewMember> added = new ArrayList<>();
		for (int i = 0; i < queues; i++) {
			TestQueue target = new TestQueue(store);
			target.sender();
			added.add(new BundleCommand.NewMember(new NextMessage(target.name, message("line"), null), true));
		}
		adding.add(BundleCommand.add("b", added.subList(0, 25)));
		adding.add(BundleCommand.add("b", added.subList(25, queues)));
		this.sender.command(false, adding.toArray(BundleCommand[]::new));
		assertThat(notes(this.callbacks)).hasSize(noted);
	}

	private NewMessage message(String text) {
		return this.members.message(text).inBundle(new BundleMembership(this.callbacks.name, "b"));
	}

	private BundleCommand direct(NewMessage... messages) {
		return direct(this.members, messages);
	}

	private static BundleCommand direct(TestQueue queue, NewMessage... messages) {
		return BundleCommand.add("b",
				Stream.of(messages)
					.map((each) -> new BundleCommand.NewMember(new NextMessage(queue.name, each, null), true))
					.toList());
	}

	private static List<OutboxNote> notes(TestQueue queue) {
		return TestQueue.get(new OutboxScript(store.runner()).run(queue.name,
				new OutboxScript.Request("i", 1, Duration.ofMillis(1), null, null, 1_000_000, List.of())))
			.notes();
	}

	private void resume(ResumeScript.Holding holding) {
		String lane = store.newLane();
		TestQueue.get(new LaneScript(store).open(this.callbacks.name, lane, TestQueue.LEASE, 0));
		TestQueue.get(new ResumeScript(store.runner()).run(this.callbacks.name,
				new ResumeScript.Request(lane, 1, TestQueue.LEASE, store.newLane(), true, true, List.of(holding))));
	}

	private static BundleCommand opening(String uid) {
		return BundleCommand.open("b", Duration.ofHours(1), uid, new EnvelopeCodec().writeBeginning(Map.of()),
				BundleCommand.Wants.NOTHING);
	}

	private BundleCommand adding() {
		return BundleCommand.add("b", List.of(BundleCommand.NewMember.of(this.members.name, this.message)));
	}

	private BundleCommand end(String way, String death) {
		return BundleCommand.end("b", List.of(new BundleCommand.MemberEnd(this.members.name,
				BundleMembership.member(this.message.uid(), null), way, death)));
	}

	private List<StoredMessage> browse(MessageState state) {
		return TestQueue.get(admin.messages().browse(this.callbacks.name, state, 0, 10)).messages();
	}

	private BundleSummary summary(MessageState state) {
		List<StoredMessage> found = browse(state);
		assertThat(found).hasSize(1);
		String envelope = new String(found.get(0).envelope(), StandardCharsets.UTF_8);
		return JsonMapper.shared()
			.readValue(envelope.substring(envelope.indexOf("\"payload\":") + 10, envelope.length() - 1),
					BundleSummary.class);
	}

	private static final class Observer implements ScriptObserver {

		/**
		 * The queue of each message.
		 */
		final List<String> sent = new CopyOnWriteArrayList<>();

		@Override
		public void called(ScriptCall call) {
			if (call instanceof ScriptCall.Send send) {
				send.request().messages().forEach((message) -> this.sent.add(send.queue()));
			}
		}

	}

	/**
	 * A lane for commands on the bundles.
	 */
	private final class Repeating {

		private final String lane = TestQueue
			.get(admin.bundles().bundle().open(BundleReplayIntegrationTests.this.callbacks.name));

		private long seq;

		/**
		 * Gives the last answer.
		 * @param again whether the commands are repeated since Redis went back
		 */
		String command(boolean again, BundleCommand... commands) {
			BundleScript.Result reply = TestQueue.get(admin.bundles()
				.bundle()
				.run(BundleReplayIntegrationTests.this.callbacks.name, this.lane, ++this.seq, List.of(commands),
						again));
			return reply.answers().get(reply.answers().size() - 1);
		}

	}

}
