package io.redelay.queue.listener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.observation.MicrometerInvariantListener;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.Settlement;
import io.redelay.queue.store.redis.ResumeScript;
import io.redelay.queue.store.redis.TestScripts;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LoopMonitor}: its states, and what it does when they are wrong.
 */
@ExtendWith(OutputCaptureExtension.class)
class LoopMonitorTests {

	private static final String QUEUE = "orders";

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final Invariants invariants = new Invariants(new MicrometerInvariantListener(this.meters));

	private final Capacity capacity = Capacity.of(PermitsTests.settings(2, 2, 0, 1), this.invariants);

	private final VirtualTime time = new VirtualTime();

	private final Loop loop = new Loop();

	private final ClaimLane lane = TestScripts.lane(new IdleStore().scripts(), QUEUE, LEASE);

	private final LoopMonitor monitor = createMonitor();

	@Test
	void aLoopGoesFromARequestToDispatchingAndBack(CapturedOutput output) {
		PendingClaim request = send();
		assertThat(request.wanted()).isEqualTo(2);
		assertThat(this.monitor.next()).as("one request at a time").isNull();
		AcceptedClaim accepted = this.monitor.accept(request, reply(message("a", false)));
		assertThat(accepted.deliveries()).hasSize(1);
		assertThat(this.monitor.isBusy()).isTrue();
		this.monitor.idle();
		assertThat(this.monitor.isBusy()).isFalse();
		this.monitor.stop();
		assertThat(this.monitor.next()).as("a message is held").isNull();
		this.monitor.settle(accepted.deliveries().get(0), Settlement.ack("a", 1));
		PendingClaim last = send();
		assertThat(last.wanted()).isZero();
		this.monitor.accept(last, reply());
		this.monitor.idle();
		assertThat(this.monitor.next()).isEqualTo(new LoopStep(LoopState.CLOSING, null));
		this.monitor.closed(Runnable::run);
		assertThat(this.monitor.next()).isNull();
		assertThat(output).doesNotContain("invariant");
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void aLoopThatStopsLooksAfterItsLaneWhileItHoldsMessages() {
		PendingClaim request = send();
		AcceptedClaim accepted = this.monitor.accept(request, reply(message("a", false)));
		this.monitor.idle();
		this.monitor.stop();
		this.monitor.check();
		PendingClaim check = send();
		assertThat(check.wanted()).isZero();
		this.monitor.accept(check, reply());
		this.monitor.idle();
		assertThat(this.monitor.next()).as("a message is held").isNull();
		this.monitor.settle(accepted.deliveries().get(0), Settlement.ack("a", 1));
		assertThat(send().settlements()).hasSize(1);
	}

	@Test
	void aTransitionThatTheTableDoesNotAllowIsReportedAndCounted(CapturedOutput output) {
		this.monitor.laneReleased();
		assertThat(output).contains("'loop-state'", "'" + QUEUE + "'", "IDLE is followed by IDLE", "ERROR");
		assertThat(violations("loop-state")).isEqualTo(1);
		assertThat(send().wanted()).as("goes on").isEqualTo(2);
	}

	@Test
	void aMessageThatIsSettledTwiceIsReportedAndReleasesNoOthersRoom(CapturedOutput output) {
		PendingClaim request = send();
		List<Delivery> deliveries = this.monitor.accept(request, reply(message("a", false), message("b", false)))
			.deliveries();
		this.monitor.settle(deliveries.get(0), Settlement.ack("a", 1));
		this.monitor.settle(deliveries.get(0), Settlement.ack("a", 1));
		assertThat(output).contains("'held-message'", "'a'");
		assertThat(violations("held-message")).isEqualTo(1);
		assertThat(this.capacity.permits().held()).isEqualTo(1);
	}

	@Test
	void aSuspectThatARepeatedRequestBringsHasAPlaceOfItsOwn() {
		PendingClaim request = new PendingClaim(2, null, List.of(), this.time.nanoTime());
		send();
		List<Delivery> deliveries = this.monitor.accept(request, reply(message("a", true))).deliveries();
		this.monitor.settle(deliveries.get(0), Settlement.giveBack("a", 1, Duration.ZERO));
		assertThat(this.meters.getMeters()).isEmpty();
	}

	@Test
	void aFirstAcknowledgementThatWasNotAnsweredGoesBackWithItsLane() {
		List<Delivery> deliveries = claim(message("a", 1), message("b", 1));
		CompletableFuture<Boolean> sent = acknowledgeFirst(deliveries.get(0), 1);
		PendingClaim request = send();
		CompletableFuture<Boolean> unsent = acknowledgeFirst(deliveries.get(1), 1);
		LaneHandover recovery = loseLane(request);
		assertThat(List.of(sent, unsent)).allMatch((answer) -> !answer.join());
		resume(recovery);
		assertThat(send().settlements()).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO),
				Settlement.giveBack("b", 1, Duration.ZERO));
	}

	@Test
	void nothingIsAcknowledgedFirstWhileItsLaneIsReplaced() {
		Delivery delivery = claim(message("a", 1)).get(0);
		this.monitor.look();
		LaneHandover recovery = loseLane(send());
		CompletableFuture<Boolean> acknowledged = acknowledgeFirst(delivery, 1);
		resume(recovery);
		assertThat(acknowledged).isCompletedWithValue(false);
		assertThat(send().settlements()).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO));
	}

	@Test
	void theAnswerToAGiveBackIsNotThatToTheAcknowledgementOfTheNextClaim() {
		Delivery delivery = claim(message("a", 1)).get(0);
		this.monitor.settle(delivery, Settlement.giveBack("a", 1, Duration.ZERO));
		PendingClaim again = send();
		ClaimReply reply = reply(message("a", 2));
		Delivery claimedAgain = this.monitor.accept(again, reply).deliveries().get(0);
		CompletableFuture<Boolean> acknowledged = acknowledgeFirst(claimedAgain, 2);
		this.monitor.idle();
		this.monitor.acknowledgedFirst(again, reply).forEach(Runnable::run);
		assertThat(acknowledged).as("not sent yet").isNotDone();
		PendingClaim last = send();
		assertThat(last.settlements()).containsExactly(Settlement.ack("a", 2));
		this.monitor.accept(last, reply());
		this.monitor.idle();
		this.monitor.acknowledgedFirst(last, reply()).forEach(Runnable::run);
		assertThat(acknowledged).isCompletedWithValue(true);
	}

	private List<Delivery> claim(ClaimedMessage... messages) {
		this.lane.open().join();
		PendingClaim request = send();
		List<Delivery> deliveries = this.monitor.accept(request, reply(messages)).deliveries();
		this.monitor.idle();
		return deliveries;
	}

	private CompletableFuture<Boolean> acknowledgeFirst(Delivery delivery, long claim) {
		return this.monitor.acknowledgeFirst(delivery, Settlement.ack(delivery.uid(), claim), Runnable::run);
	}

	private LaneHandover loseLane(PendingClaim request) {
		this.monitor.resuming();
		return this.monitor.recover(request,
				new ClaimReply(LaneStatus.GONE, Instant.EPOCH, null, Set.of(), List.of(), 0), Runnable::run);
	}

	private void resume(LaneHandover recovery) {
		this.monitor.resumed(recovery, new ResumeScript.Reply(LaneStatus.OK, 0, Set.of()), this.time.nanoTime());
		this.monitor.idle();
	}

	private double violations(String what) {
		return this.meters.get("redelay.queue.invariant.violations")
			.tags("messaging.destination.name", QUEUE, "what", what)
			.counter()
			.count();
	}

	private PendingClaim send() {
		LoopStep step = this.monitor.next();
		assertThat(step).isNotNull();
		assertThat(step.state()).isEqualTo(LoopState.REQUESTING);
		return Objects.requireNonNull(step.request());
	}

	private LoopMonitor createMonitor() {
		HeldMessages held = new HeldMessages(this.lane, new LaneRenewer(this.lane, LEASE, this.time, () -> {
		}, new CancellationWatch(QUEUE, new IdleStore().scripts().isCancelled(), this.time, List::of)));
		SuspectsInHand suspects = new SuspectsInHand(this.loop, QUEUE, new SuspectAdmission(this.time),
				this.capacity.suspects(), this.time, true);
		return new LoopMonitor(new DeliveryContext(QUEUE, QUEUE, "test", new EnvelopeCodec(), null, null, this.time),
				this.loop, this.loop, new LeadingTrigger(new SafetyPoll(Duration.ofSeconds(5)), () -> false),
				this.capacity, held, suspects, this.time, this.invariants);
	}

	private static ClaimReply reply(ClaimedMessage... messages) {
		return new ClaimReply(LaneStatus.OK, Instant.EPOCH, null, Set.of(), List.of(messages), 0);
	}

	private static ClaimedMessage message(String uid, boolean suspect) {
		return message(uid, 1, suspect);
	}

	private static ClaimedMessage message(String uid, long claim) {
		return message(uid, claim, false);
	}

	private static ClaimedMessage message(String uid, long claim, boolean suspect) {
		return new ClaimedMessage(uid, claim, 0, 0, suspect,
				"{\"sentAt\":1,\"payload\":1}".getBytes(StandardCharsets.UTF_8));
	}

	private static final class Loop extends IdleOwner implements Permits.Claimant, SuspectAdmission.Applicant {

		Loop() {
			super(QUEUE);
		}

		@Override
		public boolean yields() {
			return false;
		}

		@Override
		public void signal() {
		}

		@Override
		public void askAgain() {
		}

	}

}
