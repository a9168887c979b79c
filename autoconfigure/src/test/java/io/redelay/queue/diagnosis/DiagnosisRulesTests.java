package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.redelay.delivery.LockUse;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.FailureCause;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.ListenedQueue.Limit;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.QueueStatus;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.script.admin.LookScript.Blocked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the rules that find why a queue is behind.
 */
class DiagnosisRulesTests {

	private final FactsBuilder queue = new FactsBuilder();

	@Test
	void aQueueWithoutBacklogKeepsUp() {
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.findings()).singleElement().satisfies((finding) -> {
			assertThat(finding.kind()).isEqualTo(Kind.KEEPING_UP);
			assertThat(finding.severity()).isEqualTo(Severity.INFO);
		});
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.OK);
		assertThat(diagnosis.behind()).isFalse();
		assertThat(diagnosis.summary()).isEqualTo("Keeping up.");
		assertThat(diagnosis.figures().arrivalPerSecond()).isEqualTo(10);
		assertThat(diagnosis.figures().servicePerSecond()).isEqualTo(10);
		assertThat(diagnosis.figures().timeToDrain()).isZero();
	}

	@Test
	void aRecurringMessageWithoutItsNextTickIsReported() {
		FactsBuilder queue = new FactsBuilder();
		queue.lostTicks = 2;
		QueueDiagnosis diagnosis = queue.diagnose();
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.OK);
		assertThat(diagnosis.findings()).singleElement().satisfies((finding) -> {
			assertThat(finding.kind()).isEqualTo(Kind.TICK_GONE);
			assertThat(finding.severity()).isEqualTo(Severity.WARNING);
			assertThat(finding.headline()).isEqualTo("2 recurring messages have no next tick");
			assertThat(finding.figures()).containsEntry("lostTicks", 2L);
		});
	}

	@Test
	void packedMessagesThatAreDueAreReported() {
		FactsBuilder queue = new FactsBuilder();
		queue.packed = 3;
		queue.scheduled = 3;
		queue.nextDue = FactsBuilder.NOW.minusSeconds(9);
		assertThat(queue.diagnose().has(Kind.PACKED_LATE)).isFalse();
		queue.nextDue = FactsBuilder.NOW.minusSeconds(90);
		assertThat(queue.diagnose().findings()).singleElement().satisfies((finding) -> {
			assertThat(finding.kind()).isEqualTo(Kind.PACKED_LATE);
			assertThat(finding.severity()).isEqualTo(Severity.WARNING);
			assertThat(finding.text()).isEqualTo(
					"3 messages are packed, and the first has been due for 1 min 30 s: no instance has brought it near.");
			assertThat(finding.figures()).containsEntry("packed", 3L).containsEntry("lateMillis", 90_000L);
		});
		queue.packed = 0;
		assertThat(queue.diagnose().has(Kind.PACKED_LATE)).isFalse();
	}

	@Test
	void aQueueThatWaitsForAnotherOfItsListenerIsReported() {
		this.queue.waitsFor = "urgent";
		this.queue.busy = 4;
		this.queue.ready = 10;
		this.queue.age = Duration.ofMinutes(1);
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.findings().get(0)).satisfies((finding) -> {
			assertThat(finding.kind()).isEqualTo(Kind.OTHER_QUEUE_FIRST);
			assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
			assertThat(finding.headline())
				.isEqualTo("waits behind the queue 'urgent' of the same listener by strict order");
			assertThat(finding.figures()).containsEntry("waitsFor", List.of("urgent")).containsEntry("listeners", 2);
		});
	}

	@Test
	void handlersThatAnotherQueueOfTheirListenerHoldsAreReported() {
		this.queue.busy = 4;
		this.queue.othersInHands = 4;
		this.queue.withoutLanes = true;
		this.queue.throughput = null;
		QueueDiagnosis diagnosis = this.queue.waiting(10, Duration.ofMinutes(1)).diagnose();
		assertThat(diagnosis.findings().get(0)).satisfies((finding) -> {
			assertThat(finding.kind()).isEqualTo(Kind.OTHER_QUEUE_BUSY);
			assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
			assertThat(finding.headline()).isEqualTo("its handlers work on the queue 'reports' of the same listener");
			assertThat(finding.figures()).containsEntry("queues", List.of("reports")).containsEntry("inHands", 8);
		});
		assertThat(diagnosis.has(Kind.NO_CONSUMER)).isFalse();
		assertThat(diagnosis.figures().consumers()).as("they listen, and have no lane").isEqualTo(2);
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.BEHIND);
		this.queue.othersInHands = 0;
		assertThat(this.queue.diagnose().has(Kind.OTHER_QUEUE_BUSY)).isFalse();
	}

	@Test
	void aBusyQueueIsNotBehind() {
		this.queue.waiting(500, Duration.ofSeconds(2)).handlers(4, Duration.ofMillis(20), 24000, 23800);
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.BUSY);
		assertThat(diagnosis.behind()).isFalse();
		assertThat(diagnosis.findings()).extracting(QueueFinding::kind).containsExactly(Kind.KEEPING_UP);
	}

	@Test
	void aQueueThatIsPausedIsStopped() {
		this.queue.paused = true;
		assertThat(this.queue.diagnose().behind()).isFalse();
		assertThat(this.queue.diagnose().findings().get(0).severity()).isEqualTo(Severity.WARNING);
		QueueDiagnosis diagnosis = this.queue.waiting(7, Duration.ofMillis(30)).diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.PAUSED);
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.STOPPED);
		assertThat(diagnosis.behind()).isTrue();
		assertThat(diagnosis.findings().get(0).severity()).isEqualTo(Severity.CRITICAL);
		assertThat(diagnosis.summary()).isEqualTo("The queue is paused; 7 messages wait, the oldest for 30 ms.");
	}

	@Test
	void aQueueWithoutAListenerIsReportedOnlyIfMessagesWait() {
		this.queue.consumers = 0;
		assertThat(this.queue.diagnose().status()).isEqualTo(QueueStatus.OK);
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.NO_CONSUMER);
		assertThat(this.queue.diagnose().findings().get(0).severity()).isEqualTo(Severity.INFO);
		assertThat(this.queue.waiting(1, Duration.ZERO).diagnose().status()).isEqualTo(QueueStatus.STOPPED);
	}

	@Test
	void aQueueWithoutAListenerIsReportedBeforeItsMessagesAreDue() {
		this.queue.consumers = 0;
		this.queue.scheduled = 12;
		this.queue.nextDue = FactsBuilder.NOW.plusSeconds(90);
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.OK);
		assertThat(diagnosis.findings().get(0).severity()).isEqualTo(Severity.WARNING);
		assertThat(diagnosis.summary())
			.isEqualTo("No listener consumes it, and 12 messages are scheduled, the next due in 1 min 30 s.");
	}

	@Test
	void theOnlyConsumerThatIsSilentIsReported() {
		this.queue.consumers = 1;
		this.queue.silent = 1;
		this.queue.silence = Duration.ofSeconds(12);
		this.queue.lease = Duration.ofSeconds(18);
		this.queue.busy = 4;
		assertThat(this.queue.diagnose().status()).as("nothing waits").isEqualTo(QueueStatus.OK);
		QueueDiagnosis diagnosis = this.queue.waiting(40, Duration.ofSeconds(2)).diagnose();
		assertThat(diagnosis.findings()).extracting(QueueFinding::kind).containsExactly(Kind.CONSUMER_SILENT);
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.STOPPED);
		QueueFinding finding = diagnosis.findings().get(0);
		assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
		assertThat(finding.headline()).isEqualTo("1 instance is silent for 12 s, and no other instance listens");
		assertThat(finding.text())
			.startsWith("Nothing was heard of host-1:1 for 12 s: it was killed, hangs, or does not"
					+ " reach Redis. 3 messages that it has in hand can be taken over in 18 s, and no other instance listens;"
					+ " 40 messages wait");
		assertThat(finding.figures()).containsEntry("silentMillis", 12_000L).containsEntry("takenOverMillis", 18_000L);
		assertThat(diagnosis.figures().concurrency()).as("nothing of it is believed").isZero();
	}

	@Test
	void oneOfTwoConsumersThatIsSilentIsReported() {
		this.queue.silent = 1;
		this.queue.silence = Duration.ofSeconds(9);
		QueueDiagnosis diagnosis = this.queue.waiting(40, Duration.ofSeconds(6)).diagnose();
		assertThat(diagnosis.has(Kind.CONSUMER_SILENT)).isTrue();
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.BEHIND);
		assertThat(diagnosis.findings().get(0).headline()).isEqualTo("1 instance is silent for 9 s, and others listen");
		assertThat(diagnosis.figures().concurrency()).isEqualTo(4);
	}

	@ParameterizedTest
	@ValueSource(ints = { -60, 0, 60 })
	void anInstanceThatAnnouncedItselfLatelyIsNotSilent(int otherClock) {
		this.queue.silent = 2;
		this.queue.silence = Duration.ofSeconds(8);
		this.queue.otherClock = Duration.ofSeconds(otherClock);
		assertThat(this.queue.waiting(40, Duration.ofSeconds(6)).diagnose().has(Kind.CONSUMER_SILENT)).isFalse();
	}

	@Test
	void anInstanceWhoseLeasesAreOverIsGone() {
		this.queue.consumers = 1;
		this.queue.silent = 1;
		this.queue.silence = Duration.ofSeconds(12);
		this.queue.lease = null;
		assertThat(this.queue.waiting(40, Duration.ofSeconds(6)).diagnose().findings()).extracting(QueueFinding::kind)
			.containsExactly(Kind.NO_CONSUMER);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PAUSED", "STOPPED" })
	void stoppedListenersAreReported(String state) {
		this.queue.state = InstanceListener.State.valueOf(state);
		QueueDiagnosis diagnosis = this.queue.waiting(3, Duration.ofSeconds(1)).diagnose();
		assertThat(diagnosis.findings()).extracting(QueueFinding::kind).containsExactly(Kind.CONSUMER_STOPPED);
		assertThat(diagnosis.findings().get(0).text()).contains("'listener' of host-1:1",
				state.toLowerCase(Locale.ROOT));
	}

	@Test
	void aGateThatOpensSoonIsNoAlarm() {
		this.queue.gatedUntil = Instant.parse("2026-11-23T12:00:01Z");
		QueueDiagnosis diagnosis = this.queue.waiting(3, Duration.ofMillis(300)).diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.GATED);
		assertThat(diagnosis.behind()).isFalse();
		assertThat(diagnosis.findings().get(0).severity()).isEqualTo(Severity.INFO);
		assertThat(this.queue.waiting(3, Duration.ofSeconds(30)).diagnose().behind()).isTrue();
	}

	@Test
	void aRateLimitIsReportedOnlyWhileHandlersWaitForIt() {
		this.queue.rateLimit = "5/1s";
		this.queue.limitedBy = Set.of(Limit.RATE);
		assertThat(this.queue.diagnose().kind()).as("nothing waits").isEqualTo(Kind.KEEPING_UP);
		QueueDiagnosis diagnosis = this.queue.waiting(600, Duration.ofSeconds(40))
			.handlers(1, Duration.ofMillis(20), 600, 300)
			.diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.RATE_LIMITED);
		assertThat(diagnosis.findings().get(0).severity()).isEqualTo(Severity.CRITICAL);
		assertThat(diagnosis.findings().get(0).figures()).containsEntry("allowedPerSecond", 5.0)
			.containsEntry("neededPerSecond", 20.0);
		assertThat(diagnosis.figures().timeToDrain()).as("more comes than is done").isNull();
		assertThat(this.queue.handlers(4, Duration.ofSeconds(4), 600, 120).diagnose().has(Kind.RATE_LIMITED))
			.as("the handlers are what is slow")
			.isFalse();
	}

	@Test
	void limitsThatNoClaimHasMetExplainNothing() {
		this.queue.rateLimit = "5/1s";
		this.queue.maxInFlight = 1;
		this.queue.inFlight = 1;
		this.queue.keyRateLimit = "1/1s";
		this.queue.sharedLimit = "mail";
		this.queue.sharedRateLimit = "1/1s";
		this.queue.sharedMaxInFlight = 1;
		assertThat(this.queue.waiting(600, Duration.ofSeconds(40)).diagnose().findings()).extracting(QueueFinding::kind)
			.containsExactly(Kind.UNEXPLAINED);
	}

	@Test
	void aLimitThatQueuesShareIsNamed() {
		this.queue.limitedBy = Set.of(Limit.SHARED_RATE);
		this.queue.sharedLimit = "mail";
		this.queue.sharedRateLimit = "60/1m".replace("1m", "60000ms");
		QueueDiagnosis diagnosis = this.queue.waiting(60, Duration.ofSeconds(20)).diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.RATE_LIMITED);
		assertThat(diagnosis.findings().get(0).text()).contains("'mail' allows 1 a second");
	}

	@Test
	void maxInFlightIsReportedWhenAllPlacesAreTaken() {
		this.queue.maxInFlight = 2;
		this.queue.inFlight = 2;
		this.queue.waiting(60, Duration.ofSeconds(20)).handlers(1, Duration.ofSeconds(1), 60, 60);
		assertThat(this.queue.diagnose().has(Kind.CONCURRENCY_LIMITED)).isFalse();
		this.queue.limitedBy = Set.of(Limit.IN_FLIGHT);
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.CONCURRENCY_LIMITED);
	}

	@Test
	void fairnessKeysThatMayHaveNoMoreAreReported() {
		this.queue.keyMaxInFlight = 1;
		this.queue.keyRateLimit = "1/1s";
		this.queue.keysInHand = new Blocked(3, 40);
		this.queue.keysRated = new Blocked(1, 20);
		QueueDiagnosis diagnosis = this.queue.waiting(60, Duration.ofSeconds(20)).diagnose();
		assertThat(diagnosis.findings()).extracting(QueueFinding::kind)
			.containsExactly(Kind.CONCURRENCY_LIMITED, Kind.RATE_LIMITED);
		assertThat(diagnosis.findings().get(0).headline()).startsWith("3 fairness keys");
		assertThat(diagnosis.findings().get(0).severity()).isEqualTo(Severity.CRITICAL);
		assertThat(diagnosis.findings().get(1).headline()).startsWith("1 fairness key has used up the rate");
	}

	@Test
	void closedGatesOfKeysMatterByWhatWaitsForThem() {
		this.queue.closedKeys = 2;
		QueueDiagnosis idle = this.queue.diagnose();
		assertThat(idle.findings()).extracting(QueueFinding::kind).containsExactly(Kind.KEEPING_UP, Kind.GATED);
		this.queue.keysGated = new Blocked(2, 54);
		QueueDiagnosis diagnosis = this.queue.waiting(60, Duration.ofSeconds(20)).diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.GATED);
		assertThat(diagnosis.findings().get(0).severity()).isEqualTo(Severity.CRITICAL);
		assertThat(diagnosis.findings().get(0).figures()).containsEntry("waiting", 54L);
	}

	@Test
	void orderingKeysInTurnAreReported() {
		this.queue.waitingForTurn = 90;
		this.queue.keysInTurn = 2;
		QueueDiagnosis diagnosis = this.queue.waiting(100, Duration.ofSeconds(20)).diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.KEYS_IN_TURN);
		assertThat(diagnosis.findings().get(0).text()).startsWith(
				"90 of 100 ready messages wait for an earlier one of the same ordering key, and 2 keys have its turn");
	}

	@Test
	void slowHandlersAreReportedByHowMuch() {
		QueueDiagnosis diagnosis = this.queue.waiting(1200, Duration.ofMinutes(2))
			.handlers(4, Duration.ofMillis(400), 2400, 1200)
			.diagnose();
		QueueFinding finding = diagnosis.findings().get(0);
		assertThat(finding.kind()).isEqualTo(Kind.SLOW_HANDLER);
		assertThat(finding.figures()).containsEntry("capacityPerSecond", 20.0)
			.containsEntry("neededPerSecond", 60.0)
			.containsEntry("handlersNeeded", 24L)
			.containsEntry("tooSlowBy", 3.0);
		assertThat(finding.text()).contains("takes 400 ms", "8 handlers do 20 a second", "60 a second would be needed");
		assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.BEHIND);
	}

	@Test
	void handlersThatNeverFinishAreReported() {
		this.queue.waiting(10, Duration.ofMinutes(2));
		this.queue.busy = 4;
		this.queue.throughput = null;
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.ALL_HANDLERS_BUSY);
		assertThat(this.queue.diagnose().figures().servicePerSecond()).isNull();
	}

	@Test
	void failingHandlersAreReportedWithTheirTopCause() {
		this.queue.causes = List.of(new FailureCause("java.io.IOException", "refused", 30),
				new FailureCause("java.lang.IllegalStateException", "<b>", 5));
		QueueDiagnosis diagnosis = this.queue.failing(60, 140).diagnose();
		QueueFinding finding = diagnosis.findings().get(0);
		assertThat(finding.kind()).isEqualTo(Kind.FAILING);
		assertThat(finding.severity()).isEqualTo(Severity.WARNING);
		assertThat(finding.headline()).isEqualTo("30 % of the attempts fail: IOException: refused");
		assertThat(finding.figures()).containsEntry("topCause", "java.io.IOException").containsEntry("topCount", 60L);
		assertThat(diagnosis.behind()).isFalse();
	}

	@Test
	void handlersThatReportFailuresHaveNoException() {
		this.queue.causes = List.of(new FailureCause("none", "nobody wants it", 30));
		QueueFinding finding = this.queue.failing(100, 0).diagnose().findings().get(0);
		assertThat(finding.headline()).isEqualTo("100 % of the attempts fail: nobody wants it");
		assertThat(finding.mend()).startsWith("Look why the handler reports a failure");
	}

	@Test
	void handlersThatFailSlowlyAreNotCalledTooSlow() {
		this.queue.waiting(60_000, Duration.ofMinutes(2));
		this.queue.busy = 4;
		this.queue.throughput = new Throughput(Duration.ofSeconds(60), 600, new Throughput.Attempts(3, 93, 0),
				new Throughput.Times(this.queue.age, this.queue.age, Duration.ofSeconds(5)),
				new Throughput.Deaths(0, 0), 10.0, null);
		assertThat(this.queue.diagnose().findings()).extracting(QueueFinding::kind)
			.containsExactly(Kind.FAILING, Kind.SLOW_HANDLER);
	}

	@Test
	void aQueueWhoseMessagesDieUnhandledDoesNotKeepUp() {
		this.queue.dead = 184;
		this.queue.throughput = new Throughput(Duration.ofSeconds(60), 200, new Throughput.Attempts(16, 0, 0),
				new Throughput.Times(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofMillis(500)),
				new Throughput.Deaths(184, 184), 3.3, null);
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.findings()).extracting(QueueFinding::kind).containsExactly(Kind.DEAD_LETTERS);
		assertThat(diagnosis.summary()).isEqualTo("184 messages died lately, 92 % of those that left.");
		this.queue.throughput = new Throughput(Duration.ofSeconds(60), 200, new Throughput.Attempts(4000, 0, 0),
				new Throughput.Times(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofMillis(500)),
				new Throughput.Deaths(184, 184), 3.3, null);
		assertThat(this.queue.diagnose().findings()).as("one of 20")
			.extracting(QueueFinding::kind)
			.containsExactly(Kind.KEEPING_UP, Kind.DEAD_LETTERS);
	}

	@Test
	void aFailureNowAndThenIsNoFinding() {
		assertThat(this.queue.failing(2, 3).diagnose().has(Kind.FAILING)).as("two").isFalse();
		assertThat(this.queue.failing(50, 600).diagnose().has(Kind.FAILING)).as("8 %").isFalse();
	}

	@Test
	void messagesThatFailedBeforeAreReported() {
		this.queue.retrying = 300;
		this.queue.scheduled = 320;
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.RETRY_BACKLOG);
	}

	@Test
	void handlersThatWaitForALockAreReported() {
		this.queue.locks = List.of(
				new LockUse("stock:7", "RE_ENTRANT_LOCK", false, "handler-2", Duration.ofSeconds(9), "orders"),
				new LockUse("stock:7", "RE_ENTRANT_LOCK", true, "handler-1", Duration.ofSeconds(12), "orders"),
				new LockUse("other", "RE_ENTRANT_LOCK", false, "x", Duration.ofSeconds(9), "other"));
		this.queue.waiting(50, Duration.ofSeconds(10)).handlers(4, Duration.ofSeconds(2), 60, 50);
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.has(Kind.LOCKED)).isTrue();
		QueueFinding finding = diagnosis.findings()
			.stream()
			.filter((each) -> each.kind() == Kind.LOCKED)
			.findFirst()
			.orElseThrow();
		assertThat(finding.text()).contains("1 of 8 handlers waits for a lock, up to 9 s so far: stock:7",
				"held by the thread 'handler-1' of host-1:1 for 12 s");
		this.queue.locks = List.of();
		this.queue.lockRefusals = 40;
		assertThat(this.queue.diagnose().has(Kind.LOCKED)).isTrue();
	}

	@Test
	void whereALockIsTheBottleneckMoreHandlersAreNotAdvised() {
		this.queue.waiting(1200, Duration.ofMinutes(2)).handlers(4, Duration.ofSeconds(2), 300, 240);
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.SLOW_HANDLER);
		this.queue.announcedMean = Duration.ofSeconds(2);
		this.queue.lockWait = Duration.ofMillis(1900);
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.LOCKED);
		assertThat(diagnosis.has(Kind.SLOW_HANDLER)).isFalse();
		QueueFinding finding = diagnosis.findings().get(0);
		assertThat(finding.headline()).isEqualTo("handlers wait for locks for 95 % of their time");
		assertThat(finding.text()).contains("95 % of their time", "more handlers would wait as well");
		assertThat(diagnosis.figures().meanHandling()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void handlersThatAreSlowBesidesALockAreCountedWithoutTheWait() {
		this.queue.announcedMean = Duration.ofSeconds(4);
		this.queue.lockWait = Duration.ofSeconds(2).plusMillis(2);
		QueueDiagnosis diagnosis = this.queue.waiting(1200, Duration.ofMinutes(2))
			.handlers(4, Duration.ofSeconds(4), 2400, 120)
			.diagnose();
		QueueFinding slow = diagnosis.findings()
			.stream()
			.filter((each) -> each.kind() == Kind.SLOW_HANDLER)
			.findFirst()
			.orElseThrow();
		assertThat(slow.figures()).containsEntry("handlersNeeded", 120L).containsEntry("meanHandlingMillis", 2000L);
		assertThat(slow.text()).contains("takes 2 s without the wait for locks");
		assertThat(diagnosis.has(Kind.LOCKED)).isTrue();
	}

	@Test
	void theRequestForAFreeLockIsNoWait() {
		this.queue.announcedMean = Duration.ofMillis(8);
		this.queue.lockWait = Duration.ofMillis(2);
		QueueDiagnosis diagnosis = this.queue.waiting(120_000, Duration.ofMinutes(2))
			.handlers(4, Duration.ofMillis(8), 300, 300)
			.diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.SLOW_HANDLER);
		assertThat(diagnosis.findings().get(0).text()).contains("takes 8 ms, so");
		assertThat(diagnosis.has(Kind.LOCKED)).isFalse();
	}

	@Test
	void aQueueThatKeepsUpMayWaitForLocks() {
		this.queue.announcedMean = Duration.ofMillis(100);
		this.queue.lockWait = Duration.ofMillis(90);
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.KEEPING_UP);
	}

	@Test
	void aSlowRedisIsReported() {
		this.queue.claimTime = Duration.ofMillis(350);
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.REDIS_SLOW);
		assertThat(this.queue.diagnose().findings().get(0).headline()).isEqualTo("Redis takes 350 ms for a claim");
		this.queue.unanswered = true;
		assertThat(this.queue.diagnose().findings().get(0).headline()).isEqualTo("Redis does not answer 2 listeners");
	}

	@Test
	void deadLettersAreReportedBehindTheRest() {
		this.queue.dead = 4;
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.findings()).extracting(QueueFinding::kind)
			.containsExactly(Kind.KEEPING_UP, Kind.DEAD_LETTERS);
		assertThat(diagnosis.findings().get(1).severity()).isEqualTo(Severity.INFO);
		assertThat(diagnosis.summary()).isEqualTo("Keeping up.");
		this.queue.throughput = new Throughput(Duration.ofSeconds(60), 0, new Throughput.Attempts(0, 0, 0),
				new Throughput.Times(null, null, null), new Throughput.Deaths(0, 3), 0.0, null);
		assertThat(this.queue.diagnose().findings().get(1).severity()).isEqualTo(Severity.WARNING);
		assertThat(this.queue.diagnose().findings().get(1).headline()).isEqualTo("4 dead letters, 3 of the last hour");
		assertThat(this.queue.diagnose().summary()).isEqualTo("Keeping up; 4 dead letters, 3 of the last hour.");
	}

	@Test
	void deadLettersThatHaveRoundsLeftAreNoAlarm() {
		this.queue.dead = 4;
		this.queue.throughput = new Throughput(Duration.ofSeconds(60), 0, new Throughput.Attempts(0, 0, 0),
				new Throughput.Times(null, null, null), new Throughput.Deaths(0, 3), 0.0, null);
		RedriveRule rule = new RedriveRule(Duration.ofHours(1), null, null, 3, 10, RedriveRule.DEFAULT_REASONS);
		Instant next = FactsBuilder.NOW.plusSeconds(600);
		this.queue.redrive = new RedriveStatus(rule, true, next, FactsBuilder.NOW.minus(Duration.ofHours(2)));
		QueueFinding finding = this.queue.diagnose().findings().get(1);
		assertThat(finding.severity()).isEqualTo(Severity.INFO);
		assertThat(finding.headline()).isEqualTo("4 dead letters, 3 of the last hour, redriven by themselves");
		assertThat(finding.text()).contains("PT1H after a death, in 3 round(s)", "next at " + next);
		assertThat(this.queue.diagnose().summary()).isEqualTo("Keeping up.");
		this.queue.redrive = new RedriveStatus(rule, false, next, FactsBuilder.NOW.minus(Duration.ofMinutes(5)));
		finding = this.queue.diagnose().findings().get(1);
		assertThat(finding.severity()).as("one had its last round five minutes ago").isEqualTo(Severity.WARNING);
		assertThat(finding.headline()).endsWith(", and some had their last round");
		assertThat(finding.text()).contains("which no instance carries out now");
	}

	@Test
	void theMoreHinderingCauseComesFirst() {
		this.queue.rateLimit = "1/1s";
		this.queue.limitedBy = Set.of(Limit.RATE);
		this.queue.waitingForTurn = 30;
		this.queue.keysInTurn = 1;
		this.queue.failing(100, 300);
		this.queue.dead = 1;
		assertThat(this.queue.waiting(600, Duration.ofSeconds(60)).diagnose().findings()).extracting(QueueFinding::kind)
			.containsExactly(Kind.RATE_LIMITED, Kind.FAILING, Kind.KEYS_IN_TURN, Kind.DEAD_LETTERS);
		this.queue.paused = true;
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.PAUSED);
	}

	@Test
	void aBacklogThatShrinksIsCaughtUp() {
		QueueDiagnosis diagnosis = this.queue.waiting(3000, Duration.ofSeconds(30))
			.handlers(2, Duration.ofMillis(1), 600, 3600)
			.diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.CATCHING_UP);
		assertThat(diagnosis.figures().timeToDrain()).isEqualTo(Duration.ofSeconds(60));
		assertThat(diagnosis.summary())
			.isEqualTo("Catching up, done in 1 min; 3,000 messages wait, the oldest for 30 s.");
	}

	@Test
	void messagesSentForLaterDoNotArriveYet() {
		QueueDiagnosis diagnosis = this.queue.waiting(600, Duration.ofSeconds(30))
			.readyAMinuteAgo(Duration.ofMillis(400), 100_000, 1200, 1200)
			.diagnose();
		assertThat(diagnosis.figures().arrivalPerSecond()).isEqualTo(10);
		assertThat(diagnosis.has(Kind.SLOW_HANDLER)).isFalse();
		assertThat(diagnosis.kind()).isEqualTo(Kind.CATCHING_UP);
		assertThat(diagnosis.figures().timeToDrain()).isEqualTo(Duration.ofSeconds(60));
	}

	@Test
	void messagesSentBeforeArriveWhenTheyAreDue() {
		QueueDiagnosis diagnosis = this.queue.waiting(1800, Duration.ofSeconds(30))
			.readyAMinuteAgo(Duration.ofMillis(400), 0, 1200, 0)
			.diagnose();
		assertThat(diagnosis.figures().arrivalPerSecond()).isEqualTo(50);
		assertThat(diagnosis.kind()).isEqualTo(Kind.SLOW_HANDLER);
		assertThat(diagnosis.figures().timeToDrain()).isNull();
	}

	@Test
	void whatComesAfterAnIdleTimeIsNotGuessed() {
		this.queue.waiting(600, Duration.ofSeconds(30));
		this.queue.throughput = new Throughput(Duration.ofSeconds(20), 5000, new Throughput.Attempts(200, 0, 0),
				new Throughput.Times(this.queue.age, this.queue.age, Duration.ofMillis(400)),
				new Throughput.Deaths(0, 0), null, null);
		this.queue.busy = 4;
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.figures().arrivalPerSecond()).isNull();
		assertThat(diagnosis.figures().timeToDrain()).isNull();
		assertThat(diagnosis.kind()).as("8 handlers do 20 a second, of 10").isEqualTo(Kind.CATCHING_UP);
		assertThat(diagnosis.summary())
			.isEqualTo("Catching up, done in 30 s if no more comes; 600 messages wait, the oldest for 30 s.");
		this.queue.waiting(2400, Duration.ofSeconds(30));
		assertThat(this.queue.diagnose().kind()).isEqualTo(Kind.SLOW_HANDLER);
		assertThat(this.queue.diagnose().findings().get(0).text())
			.contains("40 a second would be needed to clear what waits in a minute, whatever comes besides");
		assertThat(this.queue.diagnose().summary()).doesNotContain("never done");
	}

	@Test
	void aBacklogThatNothingExplainsIsReportedAsSuch() {
		QueueDiagnosis diagnosis = this.queue.waiting(30, Duration.ofSeconds(30)).diagnose();
		assertThat(diagnosis.kind()).isEqualTo(Kind.UNEXPLAINED);
		assertThat(diagnosis.findings().get(0).severity()).isEqualTo(Severity.WARNING);
	}

	@Test
	void aBurstThatDrainsIsCaughtUpWith() {
		this.queue.waiting(3000, Duration.ofSeconds(10)).handlers(4, Duration.ofMillis(80), 6000, 1000);
		assertThat(this.queue.diagnose().summary()).as("by the minute in which the burst came")
			.contains("too slow by 1.5 times", "never done at this pace");
		this.queue.trend(new Throughput.Trend(100.0, 0.0, false));
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.figures().timeToDrain()).isEqualTo(Duration.ofSeconds(30));
		assertThat(diagnosis.findings()).extracting(QueueFinding::kind).containsExactly(Kind.CATCHING_UP);
		assertThat(diagnosis.summary()).startsWith("Catching up, done in 30 s;");
	}

	@Test
	void aBurstThatHasJustComeIsNotCalledNeverDone() {
		this.queue.waiting(3000, Duration.ofSeconds(6)).handlers(4, Duration.ofMillis(80), 300, 100);
		this.queue.trend(new Throughput.Trend(null, null, false));
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.figures().timeToDrain()).isNull();
		assertThat(diagnosis.kind()).as("100 a second can be done").isEqualTo(Kind.CATCHING_UP);
		assertThat(diagnosis.summary()).startsWith("Catching up, done in 30 s if no more comes;");
	}

	@Test
	void aBacklogThatStaysIsNeverDone() {
		this.queue.waiting(3000, Duration.ofSeconds(60)).handlers(4, Duration.ofMillis(80), 6000, 6000);
		this.queue.trend(new Throughput.Trend(null, 100.0, true));
		assertThat(this.queue.diagnose().summary()).startsWith("Handlers are too slow by 1.5 times;")
			.endsWith("; never done at this pace.");
	}

	@Test
	void handlersThatAreAsFastAsNeededAreNotTooSlow() {
		this.queue.waiting(3000, Duration.ofSeconds(6)).handlers(4, Duration.ofMillis(157), 0, 3000);
		this.queue.trend(new Throughput.Trend(49.0, 0.0, false));
		assertThat(this.queue.diagnose().findings()).as("51 a second of 50")
			.extracting(QueueFinding::kind)
			.containsExactly(Kind.CATCHING_UP);
	}

	@ParameterizedTest
	@ValueSource(strings = { "paused", "gated", "no consumer", "silent" })
	void whereNothingIsDeliveredNoTimeIsGiven(String why) {
		this.queue.waiting(3000, Duration.ofSeconds(60)).handlers(0, Duration.ofMillis(80), 1000, 2000);
		this.queue.trend(new Throughput.Trend(10.0, 0.0, false));
		this.queue.paused = why.equals("paused");
		this.queue.gatedUntil = why.equals("gated") ? FactsBuilder.NOW.plusSeconds(600) : null;
		this.queue.consumers = why.equals("no consumer") ? 0 : 2;
		this.queue.silent = why.equals("silent") ? 2 : 0;
		this.queue.silence = Duration.ofSeconds(12);
		QueueDiagnosis diagnosis = this.queue.diagnose();
		assertThat(diagnosis.status()).isEqualTo(QueueStatus.STOPPED);
		assertThat(diagnosis.figures().timeToDrain()).isNull();
		assertThat(diagnosis.summary()).doesNotContain("done").endsWith("the oldest for 1 min.");
	}

	@Test
	void entriesInAnInletAreReportedBehindTheRestAndMoreLoudlyWhereNoInstanceTakesThem() {
		QueueFinding finding = new FactsBuilder().inlet(1, 0)
			.diagnose()
			.findings()
			.stream()
			.filter((each) -> each.kind() == Kind.INLET)
			.findFirst()
			.orElseThrow();
		assertThat(finding.severity()).isEqualTo(Severity.WARNING);
		assertThat(finding.headline()).isEqualTo("1 entry waits in the inlet, and no instance takes it");
		assertThat(finding.mend()).contains("redelay.queue.queues.orders.inlet.enabled");
		QueueDiagnosis taken = new FactsBuilder().inlet(2000, 2).diagnose();
		assertThat(taken.findings().get(taken.findings().size() - 1).headline())
			.isEqualTo("2,000 entries wait in the inlet");
		assertThat(taken.findings().get(taken.findings().size() - 1).severity()).isEqualTo(Severity.INFO);
		assertThat(taken.status()).isEqualTo(QueueStatus.OK);
		assertThat(new FactsBuilder().diagnose().findings()).noneMatch((each) -> each.kind() == Kind.INLET);
	}

}
