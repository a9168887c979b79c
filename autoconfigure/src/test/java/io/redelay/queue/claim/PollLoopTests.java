package io.redelay.queue.claim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Deliveries;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryDispatcher;
import io.redelay.queue.handle.DeliveryOwner;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.observation.MicrometerQueueListener;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.RenewLaneScript;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.work.CancellationReason;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.test.IdleStore;
import io.redelay.test.ListenerRuntimeBuilder;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PollLoop} and {@link LoopDeliveries} on a store that answers as it is
 * set.
 */
@ExtendWith(OutputCaptureExtension.class)
class PollLoopTests {

	private static final String QUEUE = "orders";

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final Invariants invariants = new Invariants(new MicrometerQueueListener(this.meters));

	private final Permits permits = new Permits(PermitsTests.settings(2, 2, null, 1), this.invariants);

	private final VirtualTime time = new VirtualTime();

	private final Store store = new Store();

	private final Dispatcher dispatcher = new Dispatcher();

	private final PollLoop loop = createLoop(this.permits);

	@Test
	void aLoopGoesFromARequestToDispatchingAndBack(CapturedOutput output) {
		this.loop.signal();
		ClaimRequest request = this.store.request();
		assertThat(request.wanted()).isEqualTo(2);
		this.loop.signal();
		assertThat(this.store.requests).as("one request at a time").isEmpty();
		this.dispatcher.whenDispatched = (deliveries) -> this.loop.look();
		this.store.answer(reply(message("a", 1), message("b", 1)));
		assertThat(this.dispatcher.dispatched).hasSize(2);
		assertThat(this.store.requests).as("no room is left").isEmpty();
		CompletableFuture<Void> stopped = this.loop.stop();
		assertThat(this.store.requests).as("messages are held").isEmpty();
		assertThat(this.loop.hasSentAll()).isFalse();
		settle(0, Settlement.ack("a", 1));
		settle(1, Settlement.ack("b", 1));
		assertThat(this.store.request().settlements()).containsExactly(Settlement.ack("a", 1));
		this.store.answer(reply());
		ClaimRequest last = this.store.request();
		assertThat(last.settlements()).containsExactly(Settlement.ack("b", 1));
		assertThat(last.wanted()).isZero();
		assertThat(stopped).isNotDone();
		this.store.answer(reply());
		assertThat(stopped).isCompleted();
		assertThat(this.loop.hasSentAll()).isTrue();
		assertThat(this.store.requests).isEmpty();
		assertThat(output).doesNotContain("invariant");
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void aLoopThatStopsLooksAfterItsLaneWhileItHoldsMessages() {
		claim(message("a", 1), message("b", 1));
		this.loop.stop();
		this.store.renewal = new RenewLaneScript.Reply(false, false);
		this.time.advance(LEASE.dividedBy(3));
		assertThat(this.store.request().wanted()).isZero();
		this.store.answer(reply());
		assertThat(this.store.requests).as("messages are held").isEmpty();
		settle(0, Settlement.ack("a", 1));
		assertThat(this.store.request().settlements()).hasSize(1);
	}

	@Test
	void aFailureThatComesBeforeItsMessageIsGivenBackCounts() {
		claim(message("a", 1), message("b", 1));
		CompletableFuture<Void> stopped = this.loop.stop();
		settle(1, Settlement.ack("b", 1));
		assertThat(this.store.request().settlements()).containsExactly(Settlement.ack("b", 1));
		this.loop.handBack();
		Settlement failure = Settlement.retry("a", 1, Duration.ofSeconds(1));
		settle(0, failure);
		this.store.answer(reply());
		assertThat(this.store.request().settlements()).containsExactly(failure);
		this.store.answer(reply());
		assertThat(stopped).isCompleted();
	}

	@Test
	void afterItsMessageIsGivenBackOnlyAnAcknowledgementCounts() {
		claim(message("a", 1), message("b", 1));
		CompletableFuture<Void> stopped = this.loop.stop();
		this.loop.handBack();
		assertThat(this.store.request().settlements()).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO),
				Settlement.giveBack("b", 1, Duration.ZERO));
		settle(0, Settlement.retry("a", 1, Duration.ofSeconds(1)));
		settle(1, Settlement.ack("b", 1));
		this.store.answer(reply());
		assertThat(this.store.request().settlements()).containsExactly(Settlement.ack("b", 1));
		this.store.answer(reply());
		assertThat(stopped).isCompleted();
	}

	@Test
	void aMessageThatIsSettledTwiceIsReportedAndReleasesNoOthersRoom(CapturedOutput output) {
		claim(message("a", 1), message("b", 1));
		this.loop.stop();
		settle(0, Settlement.ack("a", 1));
		settle(0, Settlement.ack("a", 1));
		assertThat(output).contains("'held-message'", "'a'", "the loop is REQUESTING");
		assertThat(this.meters.get("redelay.queue.invariant.violations")
			.tags("messaging.destination.name", QUEUE, "what", "held-message")
			.counter()
			.count()).isEqualTo(1);
		assertThat(this.permits.held()).isEqualTo(1);
	}

	@Test
	void aSuspectThatARepeatedRequestBringsHasAPlaceOfItsOwn() {
		SuspectsInHand suspects = new SuspectsInHand(this.loop, new LoopStatus(QUEUE, this.invariants),
				new SuspectAdmission(this.time), this.permits, this.time, true);
		assertThat(suspects.claimed(null, List.of(message("a", 1, true)))).isTrue();
		this.permits.releaseSuspect(QUEUE);
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void aFirstAcknowledgementThatWasNotAnsweredGoesBackWithItsLane() {
		claim(message("a", 1), message("b", 1));
		CompletableFuture<Boolean> sent = acknowledgeFirst(0, 1);
		CompletableFuture<Boolean> unsent = acknowledgeFirst(1, 1);
		assertThat(this.store.request().settlements()).containsExactly(Settlement.ack("a", 1));
		this.store.answer(gone());
		assertThat(List.of(sent, unsent)).allMatch((answer) -> !answer.join());
		assertThat(this.store.request().settlements()).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO),
				Settlement.giveBack("b", 1, Duration.ZERO));
	}

	@Test
	void anotherLaneIsAskedForBeforeAFirstAcknowledgementIsGivenUp() {
		claim(message("a", 1), message("b", 1));
		List<Integer> resumes = new ArrayList<>();
		acknowledgeFirst(0, 1).thenAccept((acknowledged) -> resumes.add(this.store.resumes));
		this.store.resumed = new CompletableFuture<>();
		this.store.answer(gone());
		assertThat(resumes).containsExactly(1);
	}

	@Test
	void theHandlersOfADeletedQueueAreSignalledBeforeAFirstAcknowledgementIsGivenUp() {
		claim(message("a", 1), message("b", 1));
		List<CancellationReason> reasons = new ArrayList<>();
		acknowledgeFirst(0, 1).thenAccept((acknowledged) -> reasons.add(this.dispatcher.dispatched.get(1).reason()));
		this.store.answer(reply(LaneStatus.DELETED));
		assertThat(reasons).containsExactly(CancellationReason.LEASE_LOST);
	}

	@Test
	void nothingIsAcknowledgedFirstWhileItsLaneIsReplaced() {
		claim(message("a", 1), message("b", 1));
		settle(1, Settlement.giveBack("b", 1, Duration.ZERO));
		this.store.request();
		this.store.resumed = new CompletableFuture<>();
		this.store.answer(gone());
		CompletableFuture<Boolean> acknowledged = acknowledgeFirst(0, 1);
		assertThat(acknowledged).isCompletedWithValue(false);
		assertThat(this.store.requests).isEmpty();
		this.store.resumed.complete(new ResumeScript.Reply(LaneStatus.OK, 0, Set.of()));
		assertThat(this.store.request().settlements()).contains(Settlement.giveBack("a", 1, Duration.ZERO));
	}

	@Test
	void theAnswerToAGiveBackIsNotThatToTheAcknowledgementOfTheNextClaim() {
		claim(message("a", 1), message("b", 1));
		settle(0, Settlement.giveBack("a", 1, Duration.ZERO));
		assertThat(this.store.request().settlements()).hasSize(1);
		List<CompletableFuture<Boolean>> acknowledged = new ArrayList<>();
		this.dispatcher.whenDispatched = (again) -> acknowledged.add(acknowledgeFirst(2, 2));
		this.store.answer(reply(message("a", 2)));
		assertThat(acknowledged.get(0)).as("not answered yet").isNotDone();
		assertThat(this.store.request().settlements()).containsExactly(Settlement.ack("a", 2));
		this.store.answer(reply());
		assertThat(acknowledged.get(0)).isCompletedWithValue(true);
	}

	@Test
	void aPausedLoopGivesBackWhatItsRequestBrings() {
		this.loop.signal();
		this.store.request();
		this.loop.pause();
		this.store.answer(reply(message("a", 1), message("b", 1)));
		assertThat(this.dispatcher.dispatched).isEmpty();
		ClaimRequest next = this.store.request();
		assertThat(next.wanted()).isZero();
		assertThat(next.settlements()).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO),
				Settlement.giveBack("b", 1, Duration.ZERO));
	}

	@Test
	void whatGoesBackDoesNotGetItsTurnMeanwhile() {
		claim(message("a", 1), message("other", 1), behind("a", "b"), behind("a", "c"));
		this.dispatcher.whenWithdrawn = () -> settle(0, Settlement.ack("a", 1));
		this.loop.deliveries().giveBackStalled();
		assertThat(this.dispatcher.dispatched).extracting(Delivery::uid).containsExactly("a", "other");
		ClaimRequest next = this.store.request();
		assertThat(next.settlements()).containsExactly(Settlement.ack("a", 1),
				Settlement.giveBack("c", 1, Duration.ZERO), Settlement.giveBack("b", 1, Duration.ZERO));
		assertThat(next.wanted()).as("the room of the first one").isEqualTo(1);
	}

	@Test
	void whatIsBehindInADeletedQueueDoesNotGetItsTurnMeanwhile() {
		claim(message("a", 1), message("other", 1), behind("a", "b"));
		settle(1, Settlement.ack("other", 1));
		this.store.request();
		this.dispatcher.whenWithdrawn = () -> settle(0, Settlement.ack("a", 1));
		this.store.answer(reply(LaneStatus.DELETED));
		assertThat(this.dispatcher.dispatched).extracting(Delivery::uid).containsExactly("a", "other");
		assertThat(this.loop.deliveries().all()).isEmpty();
		assertThat(this.store.request().wanted()).as("all room is free").isEqualTo(2);
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void afterAFailureThatSentOthersBackAClaimBringsNoneUntilAMessageHasEnded() {
		Permits room = new Permits(PermitsTests.settings(2, 2, null, 1), this.invariants);
		room.pace().handled(100_000);
		PollLoop fast = createLoop(room);
		fast.signal();
		assertThat(room.behind()).isEqualTo(100);
		this.store.request();
		this.store.answer(reply(message("a", 1), behind("a", "b")));
		fast.deliveries().settle(this.dispatcher.dispatched.get(0), Settlement.retry("a", 1, Duration.ofSeconds(1)));
		assertThat(this.store.request().settlements()).hasSize(2);
		assertThat(room.behind()).isZero();
		this.store.answer(reply(message("other", 1)));
		fast.deliveries().settle(this.dispatcher.dispatched.get(1), Settlement.ack("other", 1));
		assertThat(room.behind()).isEqualTo(1);
	}

	@Test
	void aMessageIsCountedAsBehindAnotherUntilItsTurnOrItsEnd() {
		List<ClaimReply.Message> row = new ArrayList<>(List.of(message("a", 1), message("z", 1)));
		for (int i = 0; i < 500; i++) {
			row.add(behind("a", "a" + i));
		}
		claim(row.toArray(ClaimReply.Message[]::new));
		this.permits.pace().handled(1000);
		assertThat(this.permits.behind()).isZero();
		settle(0, Settlement.ack("a", 1));
		assertThat(this.dispatcher.dispatched).extracting(Delivery::uid).containsExactly("a", "z", "a0");
		assertThat(this.permits.behind()).as("one has its turn").isPositive();
		this.permits.addBehind(1);
		assertThat(this.permits.behind()).isZero();
		this.loop.deliveries().settle(this.loop.deliveries().all().get(500), Settlement.ack("a499", 1));
		assertThat(this.permits.behind()).as("one has ended before its turn").isPositive();
		this.permits.addBehind(1);
		assertThat(this.permits.behind()).isZero();
		this.store.request();
		this.store.answer(reply(LaneStatus.DELETED));
		this.permits.addBehind(497);
		assertThat(this.permits.behind()).as("all are gone with their queue").isPositive();
	}

	@Test
	void afterAPauseLongerThanTheLeaseTheNextOfARowDoesNotStart() {
		claim(message("a", 1), message("z", 1), behind("a", "b"), behind("a", "c"));
		assertThat(this.dispatcher.dispatched).hasSize(2);
		this.store.silent = true;
		settle(0, Settlement.ack("a", 1));
		assertThat(this.loop.deliveries().mayStart(this.dispatcher.dispatched.get(2))).isTrue();
		this.time.advance(LEASE);
		settle(2, Settlement.ack("b", 1));
		assertThat(this.dispatcher.dispatched).extracting(Delivery::uid).containsExactly("a", "z", "b", "c");
		assertThat(this.loop.deliveries().mayStart(this.dispatcher.dispatched.get(3))).isFalse();
		assertThat(Deliveries.opens(this.dispatcher.dispatched.get(3))).isFalse();
		assertThat(this.loop.deliveries().all()).as("it goes back").extracting(Delivery::uid).containsExactly("z");
	}

	@Test
	void aLoopWithARequestUnderWayKeepsNoOtherFromRoom() {
		claim(message("a", 1), message("b", 1));
		List<String> signalled = new ArrayList<>();
		assertThat(this.permits.reserve(PermitsTests.signalled("two", signalled), 1)).isZero();
		this.store.renewal = new RenewLaneScript.Reply(false, false);
		this.time.advance(LEASE.dividedBy(3));
		assertThat(this.store.request().wanted()).as("a request that claims nothing").isZero();
		this.permits.bound(3, 3);
		this.permits.signalRoom();
		assertThat(signalled).containsExactly("two");
	}

	private static ClaimReply.Message behind(String first, String uid) {
		ClaimReply.Message message = message(uid, 1);
		return new ClaimReply.Message(uid, 1, 0, 0, false, message.envelope(), null, null, first);
	}

	private void claim(ClaimReply.Message... messages) {
		this.loop.signal();
		this.store.request();
		this.store.answer(reply(messages));
		assertThat(this.store.requests).isEmpty();
	}

	private void settle(int delivery, Settlement settlement) {
		this.loop.deliveries().settle(this.dispatcher.dispatched.get(delivery), settlement);
	}

	private CompletableFuture<Boolean> acknowledgeFirst(int delivery, long claim) {
		Delivery acknowledged = this.dispatcher.dispatched.get(delivery);
		return this.loop.deliveries().acknowledgeFirst(acknowledged, Settlement.ack(acknowledged.uid(), claim));
	}

	private PollLoop createLoop(Permits room) {
		SafetyPoll safetyPoll = new SafetyPoll(Duration.ofSeconds(5));
		ListenerRuntime runtime = new ListenerRuntimeBuilder(this.store.scripts(), this.time).safetyPoll(safetyPoll)
			.invariants(this.invariants)
			.build();
		ContainerSettings settings = PermitsTests.settings(2, 2, 0, 1);
		return new PollLoop(Deliveries.context(QUEUE, QUEUE, this.time), settings.queues().values().iterator().next(),
				runtime, room, this.dispatcher, new LeadingTrigger(safetyPoll, () -> false), null);
	}

	private static ClaimReply gone() {
		return reply(LaneStatus.GONE);
	}

	private static ClaimReply reply(LaneStatus status) {
		return new ClaimReply(status, Instant.EPOCH, null, Set.of(), List.of(), 0);
	}

	private static ClaimReply reply(ClaimReply.Message... messages) {
		return new ClaimReply(LaneStatus.OK, Instant.EPOCH, null, Set.of(), List.of(messages), 0);
	}

	private static ClaimReply.Message message(String uid, long claim) {
		return message(uid, claim, false);
	}

	private static ClaimReply.Message message(String uid, long claim, boolean suspect) {
		return new ClaimReply.Message(uid, claim, 0, 0, suspect,
				"{\"sentAt\":1,\"payload\":1}".getBytes(StandardCharsets.UTF_8));
	}

	private static final class Store extends IdleStore {

		private final ArrayDeque<ClaimRequest> requests = new ArrayDeque<>();

		private final ArrayDeque<CompletableFuture<ClaimReply>> answers = new ArrayDeque<>();

		private RenewLaneScript.Reply renewal = new RenewLaneScript.Reply(true, false);

		private int resumes;

		private boolean silent;

		private CompletableFuture<ResumeScript.Reply> resumed = CompletableFuture
			.completedFuture(new ResumeScript.Reply(LaneStatus.OK, 0, Set.of()));

		@Override
		protected CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
			this.requests.add(request);
			CompletableFuture<ClaimReply> answer = new CompletableFuture<>();
			this.answers.add(answer);
			return answer;
		}

		@Override
		protected CompletableFuture<RenewLaneScript.Reply> renewLane(String queue, String lane, Duration lease,
				long answered) {
			return this.silent ? new CompletableFuture<>() : CompletableFuture.completedFuture(this.renewal);
		}

		@Override
		protected CompletableFuture<ResumeScript.Reply> resume(String queue, ResumeScript.Request request) {
			this.resumes++;
			return this.resumed;
		}

		ClaimRequest request() {
			return this.requests.remove();
		}

		void answer(ClaimReply reply) {
			this.answers.remove().complete(reply);
		}

	}

	private static final class Dispatcher implements DeliveryDispatcher {

		private final List<Delivery> dispatched = new ArrayList<>();

		private Consumer<List<Delivery>> whenDispatched = (deliveries) -> {
		};

		private Runnable whenWithdrawn = () -> {
		};

		@Override
		public void dispatch(List<Delivery> deliveries) {
			this.dispatched.addAll(deliveries);
			if (!deliveries.isEmpty()) {
				this.whenDispatched.accept(deliveries);
			}
		}

		@Override
		public List<Delivery> withdraw(DeliveryOwner owner) {
			this.whenWithdrawn.run();
			return List.of();
		}

		@Override
		public List<Delivery> withdrawStalled(DeliveryOwner owner) {
			this.whenWithdrawn.run();
			return List.of();
		}

		@Override
		public Set<Delivery> waiting() {
			return Set.of();
		}

		@Override
		public void startMore() {
		}

	}

}
