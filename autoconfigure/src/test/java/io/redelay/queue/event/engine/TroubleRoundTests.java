package io.redelay.queue.event.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleEvent.Type;
import io.redelay.queue.script.admin.TroubleKey;
import io.redelay.test.CapturedLog;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TroubleRound}: instances that look every 10 seconds, with a lease of
 * 30 seconds and verdicts that hold for 20.
 */
class TroubleRoundTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final VirtualTime time = new VirtualTime();

	private final Store store = new Store();

	private Kind kind = Kind.KEEPING_UP;

	private int looks;

	private boolean away;

	private boolean fails;

	private Duration looking = Duration.ZERO;

	@Test
	void oneInstanceLooksAndReports() throws InterruptedException {
		Instance one = new Instance();
		Instance other = new Instance();
		one.step();
		assertThat(other.step()).isEqualTo(LEASE);
		assertThat(this.looks).isOne();
		this.kind = Kind.LOCKED;
		run(100, one, other);
		assertThat(one.types()).containsExactly(Type.BEGAN);
		this.kind = Kind.KEEPING_UP;
		run(100, one, other);
		assertThat(one.types()).containsExactly(Type.BEGAN, Type.ENDED);
		assertThat(other.types()).isEmpty();
		assertThat(this.looks).isBetween(20, 22);
	}

	@Test
	void anInstanceWithoutTheTurnAsksOnceALease() throws InterruptedException {
		Instance one = new Instance();
		Instance other = new Instance();
		run(300, one, other);
		assertThat(one.steps).isBetween(30, 32);
		// The lease is renewed every ten seconds, so one of 30 is over after 20 at least.
		assertThat(other.steps).isBetween(9, 16);
	}

	@Test
	void theNextInstanceEndsWhatAKilledOneHasBegun() throws InterruptedException {
		Instance killed = new Instance();
		Instance next = new Instance();
		this.kind = Kind.LOCKED;
		run(60, killed, next);
		assertThat(killed.types()).containsExactly(Type.BEGAN);
		run(60, next);
		assertThat(next.types()).isEmpty();
		this.kind = Kind.KEEPING_UP;
		run(60, next);
		assertThat(next.types()).containsExactly(Type.ENDED);
		assertThat(next.events.get(0).since()).isEqualTo(killed.events.get(0).since());
	}

	@Test
	void theNextInstanceRepeatsWhatAKilledOneWasReporting() throws InterruptedException {
		Instance killed = new Instance();
		Instance next = new Instance();
		killed.blocks = true;
		this.kind = Kind.LOCKED;
		// Long enough that it has begun, and not so long that listeners are late.
		run(35, killed, next);
		assertThat(killed.types()).containsExactly(Type.BEGAN);
		run(60, next);
		assertThat(next.types()).containsExactly(Type.BEGAN);
		assertThat(next.events.get(0)).isEqualTo(killed.events.get(0));
	}

	@Test
	void aSuspendedInstanceReportsNothingWithoutTheTurn() throws InterruptedException {
		Instance suspended = new Instance();
		Instance next = new Instance();
		run(15, suspended, next);
		this.kind = Kind.LOCKED;
		run(120, next);
		assertThat(next.types()).containsExactly(Type.BEGAN);
		run(120, suspended, next);
		assertThat(suspended.types()).isEmpty();
		this.kind = Kind.KEEPING_UP;
		run(120, suspended, next);
		assertThat(next.types()).containsExactly(Type.BEGAN, Type.ENDED);
		assertThat(suspended.types()).isEmpty();
	}

	@Test
	void aCallThatWaitsIsNotMadeWithoutTheTurn() throws InterruptedException {
		Instance suspended = new Instance();
		Instance next = new Instance();
		suspended.holdsCalls = true;
		this.kind = Kind.LOCKED;
		run(35, suspended, next);
		run(60, next);
		assertThat(next.types()).containsExactly(Type.BEGAN);
		suspended.letGo();
		run(60, suspended, next);
		assertThat(suspended.types()).isEmpty();
	}

	@Test
	void aCallThatWaitsIsNotMadeWithAnotherTurnIfAnotherInstanceHasReported() throws InterruptedException {
		Instance suspended = new Instance();
		Instance next = new Instance();
		suspended.holdsCalls = true;
		this.kind = Kind.LOCKED;
		run(35, suspended, next);
		run(60, next);
		assertThat(next.types()).containsExactly(Type.BEGAN);
		next.round.end(Duration.ofSeconds(1));
		run(15, suspended);
		assertThat(this.store.troubles).containsOnlyKeys("q");
		suspended.letGo();
		run(60, suspended);
		assertThat(suspended.types()).isEmpty();
		this.kind = Kind.KEEPING_UP;
		run(60, suspended);
		assertThat(suspended.types()).as("it has the turn").containsExactly(Type.ENDED);
	}

	@Test
	void aCallThatWasNotMadeIsMadeLaterIfNoOtherInstanceHasTakenTheTurn() throws InterruptedException {
		Instance alone = new Instance();
		alone.holdsCalls = true;
		this.kind = Kind.LOCKED;
		run(35, alone);
		this.time.advance(LEASE.multipliedBy(2));
		alone.letGo();
		assertThat(alone.types()).isEmpty();
		run(60, alone);
		assertThat(alone.types()).containsExactly(Type.BEGAN);
	}

	@Test
	void aListenerThatDoesNotReturnKeepsNothingFromTheNextEvent() throws InterruptedException {
		Instance instance = new Instance();
		instance.blocks = true;
		this.kind = Kind.LOCKED;
		run(60, instance);
		this.kind = Kind.KEEPING_UP;
		run(120, instance);
		assertThat(instance.types()).containsExactly(Type.BEGAN, Type.ENDED);
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void nothingWaitsBehindACallThatDoesNotReturn(CapturedLog log) throws InterruptedException {
		Instance instance = new Instance();
		instance.blocks = true;
		this.kind = Kind.LOCKED;
		run(60, instance);
		instance.blocks = false;
		instance.holdsCalls = true;
		this.kind = Kind.KEEPING_UP;
		run(60, instance);
		assertThat(this.store.troubles).as("the end counts as reported").isEmpty();
		instance.letGo();
		assertThat(instance.types()).containsExactly(Type.BEGAN, Type.ENDED);
		assertThat(log.entriesWith("has not returned for 30 s: " + TroubleRoundTests.class.getName(), "queue=q,"))
			.hasSize(1);
	}

	@Test
	void anEventOfAQueueThatCannotBeLookedAtIsRepeatedWhenItCan() throws InterruptedException {
		Instance killed = new Instance();
		Instance next = new Instance();
		killed.blocks = true;
		this.kind = Kind.LOCKED;
		run(35, killed, next);
		this.fails = true;
		run(90, next);
		assertThat(next.types()).isEmpty();
		assertThat(this.store.troubles).containsOnlyKeys("q");
		this.fails = false;
		run(15, next);
		assertThat(next.types()).containsExactly(Type.BEGAN);
		assertThat(next.events.get(0).summary()).isEqualTo("Summary of locked.");
	}

	@Test
	void anEventThatWaitsBehindASlowListenerIsNotLostWithItsInstance() throws InterruptedException {
		Instance killed = new Instance();
		Instance next = new Instance();
		killed.holdsCalls = true;
		this.kind = Kind.LOCKED;
		run(120, killed, next);
		assertThat(killed.types()).isEmpty();
		run(60, next);
		assertThat(next.types()).containsExactly(Type.BEGAN);
	}

	@Test
	void anInstanceThatStopsLeavesTheTurnToTheNextAtOnce() throws InterruptedException {
		Instance stopped = new Instance();
		Instance next = new Instance();
		this.kind = Kind.LOCKED;
		run(60, stopped);
		stopped.round.end(Duration.ofSeconds(1));
		next.step();
		assertThat(this.store.owner).isNotEmpty();
		this.kind = Kind.KEEPING_UP;
		run(60, next);
		assertThat(next.types()).containsExactly(Type.ENDED);
	}

	@Test
	void whatRedisHasForgottenIsNotReportedAgain() throws InterruptedException {
		Instance instance = new Instance();
		this.kind = Kind.LOCKED;
		run(60, instance);
		this.store.forgetAll();
		run(60, instance);
		assertThat(instance.types()).containsExactly(Type.BEGAN);
		assertThat(this.store.troubles).containsOnlyKeys("q");
	}

	@Test
	void aRequestWithoutAnAnswerRemovesNothingThatWasKept() throws InterruptedException {
		Instance killed = new Instance();
		this.kind = Kind.LOCKED;
		run(60, killed);
		this.time.advance(LEASE);
		Instance next = new Instance();
		this.store.losesAnswers = true;
		next.step();
		this.store.losesAnswers = false;
		next.step();
		assertThat(this.store.troubles).containsOnlyKeys("q");
		run(100, next);
		assertThat(next.types()).as("it has begun before").isEmpty();
	}

	@Test
	void aRequestThatIsSentTwiceToTakeTheTurnLosesNothingThatWasKept() throws InterruptedException {
		Instance killed = new Instance();
		this.kind = Kind.LOCKED;
		run(60, killed);
		this.time.advance(LEASE);
		Instance next = new Instance();
		this.store.losesFirstAnswers = true;
		next.step();
		this.store.losesFirstAnswers = false;
		run(60, next);
		assertThat(next.types()).as("it has begun before").isEmpty();
		this.kind = Kind.KEEPING_UP;
		run(60, next);
		assertThat(next.types()).containsExactly(Type.ENDED);
	}

	@Test
	void aRequestThatIsSentTwiceToRenewTheTurnChangesNothing() throws InterruptedException {
		Instance instance = new Instance();
		this.kind = Kind.LOCKED;
		for (int i = 0; i < 20; i++) {
			this.store.losesFirstAnswers = i % 2 == 0;
			run(11, instance);
		}
		assertThat(instance.types()).containsExactly(Type.BEGAN);
		assertThat(this.store.troubles).containsOnlyKeys("q");
	}

	@Test
	void whileRedisIsAwayNothingHoldsAndNothingEnds() throws InterruptedException {
		Instance instance = new Instance();
		this.kind = Kind.LOCKED;
		run(15, instance);
		this.away = true;
		run(300, instance);
		assertThat(instance.types()).isEmpty();
		this.away = false;
		instance.step();
		assertThat(instance.types()).isEmpty();
		run(60, instance);
		assertThat(instance.types()).containsExactly(Type.BEGAN);
	}

	@Test
	void aShortOutageInterruptsWhatHolds() throws InterruptedException {
		Instance instance = new Instance();
		this.kind = Kind.LOCKED;
		run(15, instance);
		this.away = true;
		run(15, instance);
		this.away = false;
		run(12, instance);
		assertThat(instance.types()).isEmpty();
		run(25, instance);
		assertThat(instance.types()).containsExactly(Type.BEGAN);
	}

	@Test
	void aSuspensionInterruptsWhatHolds() throws InterruptedException {
		Instance instance = new Instance();
		this.kind = Kind.LOCKED;
		run(5, instance);
		this.time.advance(LEASE.multipliedBy(2));
		run(5, instance);
		assertThat(instance.types()).isEmpty();
		run(25, instance);
		assertThat(instance.types()).containsExactly(Type.BEGAN);
	}

	@Test
	void aLookThatTakesLongerThanTheLeaseCostsTheTurnOnce() throws InterruptedException {
		Instance one = new Instance();
		Instance other = new Instance();
		this.kind = Kind.LOCKED;
		this.looking = LEASE.plusSeconds(10);
		one.others = List.of(other);
		other.others = List.of(one);
		run(400, one, other);
		assertThat(one.types().size() + other.types().size()).isOne();
		this.kind = Kind.KEEPING_UP;
		run(400, one, other);
		assertThat(one.types().size() + other.types().size()).isEqualTo(2);
	}

	@Test
	void theSameLookShowsNothingNew() throws InterruptedException {
		Instance instance = new Instance();
		this.kind = Kind.LOCKED;
		instance.step();
		instance.same = instance.latest();
		run(30, instance);
		assertThat(instance.types()).isEmpty();
		instance.same = null;
		run(15, instance);
		assertThat(instance.types()).containsExactly(Type.BEGAN);
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void looksThatFailAfterTheFirstAreLoggedAndInterruptWhatHolds(CapturedLog log) throws InterruptedException {
		Instance instance = new Instance();
		this.kind = Kind.LOCKED;
		instance.step();
		instance.same = instance.latest();
		run(30, instance);
		assertThat(log.entriesWith("trouble in any queue", "the last look is")).isEmpty();
		run(60, instance);
		assertThat(log.entriesWith("trouble in any queue", "the last look is")).hasSize(1);
		instance.same = null;
		run(15, instance);
		assertThat(instance.types()).as("what it was before may have ended meanwhile").isEmpty();
		run(20, instance);
		assertThat(instance.types()).containsExactly(Type.BEGAN);
	}

	/**
	 * Runs instances, each when it wants to.
	 */
	private void run(int seconds, Instance... instances) throws InterruptedException {
		for (int i = 0; i < seconds; i++) {
			for (Instance instance : instances) {
				while (this.time.nanoTime() - instance.dueNanos >= 0) {
					instance.step();
				}
			}
			this.time.advance(Duration.ofSeconds(1));
		}
	}

	/**
	 * What the script does.
	 */
	private final class Store {

		private final Map<String, String> troubles = new TreeMap<>();

		private String owner = "";

		private long number;

		private long untilNanos = TroubleRoundTests.this.time.nanoTime();

		private boolean losesAnswers;

		private boolean losesFirstAnswers;

		CompletableFuture<TroubleKey.Turn> take(TroubleKey.Request request) {
			if (TroubleRoundTests.this.away) {
				return CompletableFuture.failedFuture(new IllegalStateException("away"));
			}
			if (this.losesFirstAnswers) {
				answer(request);
			}
			TroubleKey.Turn turn = answer(request);
			return this.losesAnswers ? CompletableFuture.failedFuture(new IllegalStateException("lost"))
					: CompletableFuture.completedFuture(turn);
		}

		private TroubleKey.Turn answer(TroubleKey.Request request) {
			long left = this.untilNanos - TroubleRoundTests.this.time.nanoTime();
			boolean isMine = this.owner.equals(request.owner());
			if (!this.owner.isEmpty() && !isMine && left > 0) {
				return new TroubleKey.Turn(TroubleKey.Turn.State.OTHER, Duration.ofNanos(left), Map.of());
			}
			if (isMine && request.number() <= this.number) {
				return new TroubleKey.Turn(TroubleKey.Turn.State.TAKEN, Duration.ZERO, Map.copyOf(this.troubles));
			}
			Map<String, String> kept = isMine ? Map.of() : Map.copyOf(this.troubles);
			if (isMine) {
				this.troubles.clear();
				this.troubles.putAll(request.troubles());
			}
			this.owner = request.owner();
			this.number = request.number();
			this.untilNanos = TroubleRoundTests.this.time.nanoTime() + request.lease().toNanos();
			return new TroubleKey.Turn(isMine ? TroubleKey.Turn.State.OK : TroubleKey.Turn.State.TAKEN, Duration.ZERO,
					kept);
		}

		void forgetAll() {
			this.owner = "";
			this.troubles.clear();
		}

	}

	/**
	 * An instance with one listener.
	 */
	private final class Instance implements QueueSnapshots {

		private final List<TroubleEvent> events = new ArrayList<>();

		private final List<TroubleCall> held = new ArrayList<>();

		private final TroubleRound round;

		private long dueNanos = TroubleRoundTests.this.time.nanoTime();

		private int steps;

		private boolean blocks;

		private boolean holdsCalls;

		private Look same;

		private boolean isLooking;

		private List<Instance> others = List.of();

		Instance() {
			VirtualTime time = TroubleRoundTests.this.time;
			TroubleTurn turn = new TroubleTurn(TroubleRoundTests.this.store::take, LEASE, time);
			this.round = new TroubleRound(turn, new TroubleVerdicts(Duration.ofSeconds(20)), () -> this,
					Duration.ofSeconds(10), time, () -> this.dueNanos = time.nanoTime());
			this.round.listeners(List.of(this::call));
		}

		private void call(TroubleCall call) {
			if (this.holdsCalls) {
				this.held.add(call);
			}
			else if (call.begin()) {
				this.events.add(call.event());
				if (!this.blocks) {
					call.end();
				}
			}
		}

		void letGo() {
			this.holdsCalls = false;
			this.held.forEach(this::call);
			this.held.clear();
		}

		Duration step() throws InterruptedException {
			this.steps++;
			this.dueNanos = Long.MIN_VALUE;
			Duration pause = this.round.step();
			if (this.dueNanos == Long.MIN_VALUE) {
				this.dueNanos = TroubleRoundTests.this.time.nanoTime() + pause.toNanos();
			}
			return pause;
		}

		/**
		 * Does a step if it wants to and none is under way.
		 */
		void stepIfDue() {
			try {
				if (!this.isLooking && TroubleRoundTests.this.time.nanoTime() - this.dueNanos >= 0) {
					step();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		List<Type> types() {
			return this.events.stream().map(TroubleEvent::type).toList();
		}

		@Override
		public Look latest() {
			if (TroubleRoundTests.this.away) {
				throw new QueueBackendException("away", new IllegalStateException());
			}
			if (this.same != null) {
				return this.same;
			}
			TroubleRoundTests.this.looks++;
			long end = TroubleRoundTests.this.time.nanoTime() + TroubleRoundTests.this.looking.toNanos();
			this.isLooking = true;
			while (TroubleRoundTests.this.time.nanoTime() - end < 0) {
				TroubleRoundTests.this.time.advance(Duration.ofSeconds(1));
				this.others.forEach(Instance::stepIfDue);
			}
			this.isLooking = false;
			Instant now = Instant.EPOCH.plus(TroubleRoundTests.this.time.elapsed());
			Kind kind = TroubleRoundTests.this.kind;
			if (TroubleRoundTests.this.fails) {
				return new Look(now, Map.of(), Set.of("q"));
			}
			QueueSnapshot queue = (kind == Kind.KEEPING_UP) ? TroubleLooks.well("q", now)
					: TroubleLooks.queue("q", now, TroubleLooks.finding(kind, Severity.CRITICAL));
			return TroubleLooks.look(now, queue);
		}

	}

}
