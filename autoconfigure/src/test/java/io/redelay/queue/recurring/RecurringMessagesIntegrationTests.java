package io.redelay.queue.recurring;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.recurring.RecurringEvent.Kind;
import io.redelay.queue.recurring.engine.RecurringMaintenance;
import io.redelay.queue.recurring.engine.RecurringMaintenanceDriver;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.event.EventListener;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of recurring messages through the public API, on several instances.
 */
class RecurringMessagesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Duration SHORT = Duration.ofMillis(200);

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void twoInstancesThatDeclareOneHandleOneMessageATick() {
		Ticks ticks = new Ticks();
		try (ListenerApplication one = declaring(ticks, "200ms").start();
				ListenerApplication other = declaring(ticks, "200ms").start()) {
			Awaitility.await().until(() -> ticks.handled.size() >= 8);
		}
		List<Instant> times = ticks.handled.stream().map(RecurringTick::scheduledFor).toList();
		assertThat(times).doesNotHaveDuplicates();
		for (int i = 1; i < times.size(); i++) {
			assertThat(Duration.between(times.get(i - 1), times.get(i)).toMillis() % 200).isZero();
		}
		assertThat(ticks.handled).allSatisfy((tick) -> assertThat(tick.name()).isEqualTo("tick"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMethodAndAPropertyDeclarePayloads() {
		Payloads payloads = new Payloads();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(payloads)
			.bean(new Maker())
			.with("test.queue", this.queue)
			.with("redelay.queue.recurring.by-property.queue", this.queue)
			.with("redelay.queue.recurring.by-property.every", "150ms")
			.with("redelay.queue.recurring.by-property.payload", "{\"text\":\"of a property\"}")
			.with("redelay.queue.recurring.never.cron", "-")
			.start()) {
			Awaitility.await()
				.until(() -> payloads.handled.contains("by-property: of a property")
						&& payloads.handled.contains("Maker.make: of a method"));
			assertThat(application.bean(RecurringMessages.class).list())
				.filteredOn((info) -> info.queue().equals(this.queue))
				.extracting(RecurringInfo::name, RecurringInfo::declaredByApi)
				.containsExactly(org.assertj.core.groups.Tuple.tuple("Maker.make", false),
						org.assertj.core.groups.Tuple.tuple("by-property", false));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMethodThatDeclaresSeveralHandlesTheTicksOfEach() {
		TwoSchedules schedules = new TwoSchedules();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(schedules)
			.with("test.queue", this.queue)
			.start()) {
			Awaitility.await().until(() -> schedules.handled.contains("often") && schedules.handled.contains("rarely"));
			assertThat(application.bean(RecurringMessages.class).find(this.queue, "often")).isPresent();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneOfTheApiIsListedRunNowPausedResumedAndRemoved() {
		Ticks ticks = new Ticks();
		try (ListenerApplication application = listening(ticks).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			RecurringInfo declared = recurring.declare(
					RecurringDeclaration.cron(this.queue, "nightly", "0 0 2 * * *").zone(ZoneId.of("Europe/Berlin")));
			assertThat(declared.nextRuns()).hasSize(5)
				.isSorted()
				.allSatisfy((run) -> assertThat(run).isAfter(Instant.now()));
			assertThat(declared.schedule()).isEqualTo("0 0 2 * * * (Europe/Berlin)");
			assertThat(recurring.runNow(this.queue, "nightly")).isTrue();
			Awaitility.await().until(() -> ticks.handled.size() == 1);
			recurring.pause(this.queue, "nightly");
			assertThat(recurring.find(this.queue, "nightly")).hasValueSatisfying((info) -> {
				assertThat(info.paused()).isTrue();
				assertThat(info.nextRuns()).isEmpty();
			});
			QueueAdmin admin = application.bean(QueueAdmin.class);
			assertThat(admin.queues().info(this.queue).scheduled()).isZero();
			Awaitility.await().until(() -> recurring.runNow(this.queue, "nightly"));
			Awaitility.await().until(() -> ticks.handled.size() == 2);
			recurring.resume(this.queue, "nightly");
			assertThat(recurring.find(this.queue, "nightly").orElseThrow().nextRuns()).isEqualTo(declared.nextRuns());
			assertThat(admin.queues().info(this.queue).scheduled()).isOne();
			assertThat(recurring.remove(this.queue, "nightly")).isTrue();
			assertThat(recurring.remove(this.queue, "nightly")).isFalse();
			assertThat(recurring.find(this.queue, "nightly")).isEmpty();
			assertThat(admin.queues().info(this.queue).scheduled()).isZero();
			assertThatExceptionOfType(UnknownRecurringMessageException.class)
				.isThrownBy(() -> recurring.pause(this.queue, "nightly"))
				.withMessageContaining(this.queue)
				.withMessageContaining("nightly");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRunIsListedUntilItEndsAndNotUntilTheNextTick() {
		Slow slow = new Slow();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(slow)
			.with("test.queue", this.queue)
			.with("test.concurrency", "1")
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			RecurringDeclaration nightly = RecurringDeclaration.cron(this.queue, "nightly", "0 0 2 1 1 *");
			recurring.declare(nightly);
			assertThat(recurring.runNow(this.queue, "nightly")).isTrue();
			Awaitility.await().until(() -> slow.begun.size() == 1);
			assertThat(listed(recurring)).isEqualTo(recurring.find(this.queue, "nightly").orElseThrow());
			assertThat(listed(recurring).running()).hasSize(1);
			slow.room.release();
			Awaitility.await().until(() -> listed(recurring).running().isEmpty());
			assertThat(listed(recurring)).isEqualTo(recurring.find(this.queue, "nightly").orElseThrow());
			assertThat(recurring.declare(nightly).running()).isEmpty();
			recurring.remove(this.queue, "nightly");
		}
	}

	private RecurringInfo listed(RecurringMessages recurring) {
		return recurring.list().stream().filter((info) -> info.queue().equals(this.queue)).findFirst().orElseThrow();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theMessagesHaveTheTagsThatAreDeclared() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new TaggedMaker())
			.with("test.queue", this.queue)
			.with("test.tag", "by method")
			.with("redelay.queue.recurring.by-property.queue", this.queue)
			.with("redelay.queue.recurring.by-property.cron", "0 0 2 1 1 *")
			.with("redelay.queue.recurring.by-property.tags", "by property, all")
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			RecurringDeclaration declaration = RecurringDeclaration.cron(this.queue, "by-call", "0 0 2 1 1 *");
			recurring.declare(declaration.tags(List.of("by call", "all")));
			Awaitility.await()
				.untilAsserted(() -> assertThat(admin.messages().findByTag(this.queue, "all", null, 10).messages())
					.hasSize(3));
			for (String tag : List.of("by method", "by property", "by call")) {
				assertThat(admin.messages().findByTag(this.queue, tag, null, 10).messages()).hasSize(1);
			}
			recurring.declare(declaration.tags(List.of("changed")));
			Awaitility.await()
				.untilAsserted(() -> assertThat(admin.messages().findByTag(this.queue, "changed", null, 10).messages())
					.hasSize(1));
			assertThat(admin.messages().findByTag(this.queue, "by call", null, 10).messages()).isEmpty();
			recurring.remove(this.queue, "by-call");
			assertThat(admin.messages().findByTag(this.queue, "changed", null, 10).messages()).isEmpty();
			assertThatThrownBy(() -> recurring.declare(declaration.tags(List.of(" "))))
				.isInstanceOf(InvalidRecurringMessageException.class)
				.hasMessageContaining("'tag' is blank");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneOfTheApiGoesOnWithoutItsDeclarerAndItsNextRunsFollowAChange() {
		Ticks ticks = new Ticks();
		try (ListenerApplication declarer = ListenerApplication.on(redis).start()) {
			RecurringMessages recurring = declarer.bean(RecurringMessages.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofDays(1)));
			RecurringInfo changed = recurring.declare(RecurringDeclaration.every(this.queue, "tick", SHORT));
			assertThat(Duration.between(changed.nextRuns().get(0), changed.nextRuns().get(1))).isEqualTo(SHORT);
		}
		try (ListenerApplication other = listening(ticks).start()) {
			Awaitility.await().until(() -> ticks.handled.size() >= 3);
			other.bean(RecurringMessages.class).remove(this.queue, "tick");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ticksDuringARunAreLeftOutAndReported() {
		assertOverlap(OverlappingRuns.SKIP, "1", Kind.OVERLAP_SKIPPED, 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ticksDuringARunAreLeftOutAlsoIfOthersCouldHandleThem() {
		assertOverlap(OverlappingRuns.SKIP, "4", Kind.OVERLAP_SKIPPED, 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ticksDuringARunQueueAndNoneIsLost() {
		Slow slow = assertOverlap(OverlappingRuns.QUEUE, "4", Kind.OVERLAP_QUEUED, 1);
		List<Instant> begun = List.copyOf(slow.begun);
		for (int i = 1; i < begun.size(); i++) {
			assertThat(Duration.between(begun.get(i - 1), begun.get(i))).isEqualTo(SHORT);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ticksDuringARunRunBesideIt() {
		assertOverlap(OverlappingRuns.SIDE_BY_SIDE, "4", Kind.OVERLAP_SIDE_BY_SIDE, 3);
	}

	/**
	 * The first run lasts until some ticks have passed.
	 */
	private Slow assertOverlap(OverlappingRuns overlap, String concurrency, Kind reported, int mostAtATime) {
		Slow slow = new Slow();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(slow)
			.with("test.queue", this.queue)
			.with("test.concurrency", concurrency)
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "slow", SHORT)
				.overlap(overlap)
				// A busy machine may claim a tick late though no run is in its way.
				.missed(MissedTicks.ALL)
				.maxMissed(1000));
			Awaitility.await().until(() -> !slow.begun.isEmpty());
			if (mostAtATime > 1) {
				Awaitility.await().until(() -> slow.begun.size() >= mostAtATime);
			}
			else {
				awaitTicks();
				assertThat(slow.begun).hasSize(1);
			}
			slow.room.release(1000);
			Awaitility.await().until(() -> slow.begun.size() >= mostAtATime + 3);
			Awaitility.await().until(() -> slow.events.stream().anyMatch((event) -> event.kind() == reported));
			recurring.remove(this.queue, "slow");
		}
		return slow;
	}

	/**
	 * Those that were missed before it are made up for first.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ticksDuringARunThatBeganLateAreReportedToHaveWaitedForIt() {
		Slow slow = new Slow();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(slow)
			.with("test.queue", this.queue)
			.with("test.concurrency", 1)
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			RecurringInfo declared = recurring.declare(RecurringDeclaration.every(this.queue, "slow", SHORT)
				.overlap(OverlappingRuns.QUEUE)
				.missed(MissedTicks.ALL)
				.maxMissed(1000));
			Awaitility.await()
				.until(() -> Instant.now().isAfter(declared.nextRuns().get(0).plus(SHORT.multipliedBy(4))));
			application.container().start();
			Awaitility.await().until(() -> !slow.begun.isEmpty());
			awaitTicks();
			slow.room.release(1000);
			Awaitility.await().until(() -> slow.has(Kind.OVERLAP_QUEUED));
			recurring.remove(this.queue, "slow");
		}
	}

	private static void awaitTicks() {
		Instant end = Instant.now().plus(SHORT.multipliedBy(4));
		Awaitility.await().until(() -> Instant.now().isAfter(end));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anUnclaimedTickIsReportedAndMadeUpForByOneRun() {
		Ticks ticks = new Ticks();
		Events events = new Events();
		try (ListenerApplication declarer = ListenerApplication.on(redis).bean(events).start()) {
			declarer.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "tick", SHORT).lateAfter(Duration.ofMillis(100)));
			Awaitility.await().until(() -> events.has(Kind.MISSING));
			// A consumer that starts quickly would claim the first tick before the second
			// one is due.
			Instant twoAreMissed = Instant.now().plus(SHORT.multipliedBy(3));
			Awaitility.await().until(() -> Instant.now().isAfter(twoAreMissed));
			try (ListenerApplication consumer = listening(ticks).start()) {
				Awaitility.await().until(() -> ticks.handled.size() >= 3);
				assertThat(ticks.events).extracting(RecurringEvent::kind).contains(Kind.LATE, Kind.MISSED);
				List<Instant> times = ticks.handled.stream().map(RecurringTick::scheduledFor).toList();
				assertThat(Duration.between(times.get(0), times.get(1))).as("one for all that were missed")
					.isGreaterThan(SHORT);
			}
			declarer.bean(RecurringMessages.class).remove(this.queue, "tick");
		}
	}

	@ParameterizedTest
	@EnumSource(TickRemoval.class)
	@Execution(ExecutionMode.CONCURRENT)
	void aTickThatIsRemovedIsPutBackAndReported(TickRemoval removal) {
		Events events = new Events();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(events).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			RecurringInfo declared = recurring
				.declare(RecurringDeclaration.cron(this.queue, "nightly", "0 0 2 1 1 *").tags(List.of("tagged")));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			String uid = admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 10).messages().get(0).uid();
			removal.act(admin, this.queue, uid);
			Awaitility.await().until(() -> events.has(Kind.PUT_BACK));
			assertThat(admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 10).messages()).singleElement()
				.satisfies((message) -> {
					assertThat(message.uid()).isNotEqualTo(uid);
					assertThat(message.dueAt()).isEqualTo(declared.nextRuns().get(0));
				});
			assertThat(events.events).singleElement()
				.satisfies((event) -> assertThat(event.tick()).isEqualTo(declared.nextRuns().get(0)));
			recurring.remove(this.queue, "nightly");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void afterAPurgeOfADueTickTheNextOneFollows() {
		Events events = new Events();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(events).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			RecurringInfo declared = recurring.declare(RecurringDeclaration.every(this.queue, "tick", SHORT));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await().until(() -> admin.control().purge(this.queue, MessageState.READY) == 1);
			assertThat(recurring.find(this.queue, "tick").orElseThrow().nextRuns().get(0))
				.isAfter(declared.nextRuns().get(0));
			Awaitility.await().until(() -> events.has(Kind.PUT_BACK));
			recurring.remove(this.queue, "tick");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTickThatASendDropsToMakeRoomIsFollowedByTheNext() {
		Events events = new Events();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(events)
			.with("redelay.queue.queues." + this.queue + ".max-length", 1)
			.with("redelay.queue.queues." + this.queue + ".overflow", "drop-oldest")
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofSeconds(1)));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await().until(() -> admin.queues().info(this.queue).ready() == 1);
			Awaitility.await().until(() -> {
				application.queues().send(this.queue, "x");
				return events.has(Kind.PUT_BACK);
			});
			recurring.remove(this.queue, "tick");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTickThatIsMissedWithoutATraceIsPutBackWhenItIsLate() {
		Ticks ticks = new Ticks();
		Events events = new Events();
		try (ListenerApplication declarer = ListenerApplication.on(redis).bean(events).start()) {
			declarer.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofSeconds(1))
					.lateAfter(Duration.ofMillis(100)));
			// Not through Redelay, which would put it back at once.
			redis.client()
				.getKeys()
				.delete("redelay:{" + this.queue + "}:messages", "redelay:{" + this.queue + "}:scheduled");
			Awaitility.await().until(() -> events.has(Kind.MISSING) && events.has(Kind.PUT_BACK));
			try (ListenerApplication consumer = listening(ticks).start()) {
				Awaitility.await().until(() -> !ticks.handled.isEmpty());
			}
			declarer.bean(RecurringMessages.class).remove(this.queue, "tick");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTickThatIsGoneIsDiagnosedAndARoundPutsItBack() {
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			recurring.declare(RecurringDeclaration.cron(this.queue, "nightly", "0 0 2 1 1 *"));
			assertThat(admin.queues().diagnose(this.queue).findings()).extracting(QueueFinding::kind)
				.doesNotContain(QueueFinding.Kind.TICK_GONE);
			// Not through Redelay, which would put it back at once.
			redis.client()
				.getKeys()
				.delete("redelay:{" + this.queue + "}:messages", "redelay:{" + this.queue + "}:scheduled");
			assertThat(admin.queues().diagnose(this.queue).findings()).extracting(QueueFinding::kind)
				.contains(QueueFinding.Kind.TICK_GONE);
			RecurringMaintenanceDriver.lookThrough(application.bean(RecurringMaintenance.class), this.queue);
			assertThat(admin.queues().info(this.queue).scheduled()).isOne();
			assertThat(admin.queues().diagnose(this.queue).findings()).extracting(QueueFinding::kind)
				.doesNotContain(QueueFinding.Kind.TICK_GONE);
			recurring.remove(this.queue, "nightly");
		}
	}

	/**
	 * What removes the message of a tick that is not due.
	 */
	enum TickRemoval {

		PURGE {

			@Override
			void act(QueueAdmin admin, String queue, String uid) {
				assertThat(admin.control().purge(queue, MessageState.SCHEDULED)).isOne();
				// It ends when the message is back.
				assertThat(admin.queues().info(queue).scheduled()).isOne();
			}

		},

		CANCEL {

			@Override
			void act(QueueAdmin admin, String queue, String uid) {
				assertThat(admin.messages().cancel(queue, uid).done()).isTrue();
			}

		},

		CANCEL_BY_TAG {

			@Override
			void act(QueueAdmin admin, String queue, String uid) {
				assertThat(admin.messages().cancelByTag(queue, "tagged")).isOne();
			}

		},

		DELETE {

			@Override
			void act(QueueAdmin admin, String queue, String uid) {
				assertThat(admin.messages().delete(queue, uid).done()).isTrue();
			}

		},

		BURY {

			@Override
			void act(QueueAdmin admin, String queue, String uid) {
				assertThat(admin.messages().bury(queue, uid, "by a test").done()).isTrue();
			}

		},

		BULK {

			@Override
			void act(QueueAdmin admin, String queue, String uid) {
				BulkJob job = admin.jobs().start(queue, BulkRequest.of(BulkAction.DELETE, MessageFilter.all()));
				Awaitility.await().until(() -> admin.jobs().find(job.id()).orElseThrow().state() == BulkJob.State.DONE);
				assertThat(admin.jobs().find(job.id()).orElseThrow().done()).isOne();
			}

		};

		abstract void act(QueueAdmin admin, String queue, String uid);

	}

	/**
	 * With that, the message leaves its list and gets another uid.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTickThatAnAdminMovesWithinItsListRunsOnceAndIsFollowedByTheNext() {
		Ticks ticks = new Ticks();
		try (ListenerApplication application = listening(ticks).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			RecurringInfo declared = recurring
				.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofDays(1)));
			admin.control().pause(this.queue);
			String id = admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 10).messages().get(0).id();
			// From the scheduled to the ready ones, and there to the first place, twice.
			IntStream.range(0, 3).forEach((i) -> assertThat(admin.messages().runNow(this.queue, id).done()).isTrue());
			admin.control().resume(this.queue);
			Awaitility.await().until(() -> !ticks.handled.isEmpty());
			Awaitility.await()
				.until(() -> recurring.find(this.queue, "tick").orElseThrow().nextRuns(),
						(next) -> next.get(0).equals(declared.nextRuns().get(1)));
			assertThat(admin.queues().info(this.queue).scheduled()).isOne();
			recurring.remove(this.queue, "tick");
			assertThat(ticks.handled).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofMoreRunsThanAreRememberedNoneIsLost() {
		Ticks ticks = new Ticks();
		int runs = 105;
		try (ListenerApplication application = listening(ticks).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofDays(1))
				.overlap(OverlappingRuns.SIDE_BY_SIDE));
			application.bean(QueueAdmin.class).control().pause(this.queue);
			IntStream.range(0, runs).forEach((i) -> recurring.runNow(this.queue, "tick"));
			application.bean(QueueAdmin.class).control().resume(this.queue);
			Awaitility.await().until(() -> ticks.handled.size() == runs);
			recurring.remove(this.queue, "tick");
		}
	}

	/**
	 * The message that was due already when another one took its place is not handled.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDueTickThatWasWithdrawnDoesNotRun() {
		Ticks ticks = new Ticks();
		try (ListenerApplication application = listening(ticks).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofDays(1)));
			admin.control().pause(this.queue);
			RecurringInfo declared = recurring.declare(RecurringDeclaration.every(this.queue, "tick", SHORT));
			Awaitility.await().until(() -> Instant.now().isAfter(declared.nextRuns().get(0).plus(SHORT)));
			recurring.pause(this.queue, "tick");
			recurring.runNow(this.queue, "tick");
			admin.control().resume(this.queue);
			Awaitility.await().until(() -> ticks.handled.size() == 1);
			Awaitility.await()
				.until(() -> admin.queues().info(this.queue).ready() + admin.queues().info(this.queue).inFlight() == 0);
			assertThat(admin.queues().info(this.queue).scheduled()).isZero();
			assertThat(ticks.handled).hasSize(1);
			recurring.remove(this.queue, "tick");
			assertThat(recurring.find(this.queue, "tick")).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatTheCodeDropsEndsAndWhatWasMissedMeanwhileIsMadeUpFor() {
		Ticks ticks = new Ticks();
		Ticks others = new Ticks();
		try (ListenerApplication before = declaring(ticks, "300ms").with("redelay.queue.recurrence.drop-after", "1s")
			.start()) {
			Awaitility.await().until(() -> !ticks.handled.isEmpty());
		}
		try (ListenerApplication without = listening(others).start()) {
			Awaitility.await().until(() -> others.events.stream().anyMatch((event) -> event.kind() == Kind.DROPPED));
			assertThat(without.bean(RecurringMessages.class).find(this.queue, "tick")).isEmpty();
			assertThat(without.bean(QueueAdmin.class).queues().info(this.queue).scheduled()).isZero();
			int handled = others.handled.size();
			Ticks again = new Ticks();
			try (ListenerApplication after = declaring(again, "300ms").start()) {
				Awaitility.await().until(() -> others.handled.size() + again.handled.size() > handled + 1);
				assertThat(after.bean(RecurringMessages.class).find(this.queue, "tick")).isPresent();
			}
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatOthersDropWhileAnInstanceCannotAnnounceThatItLivesIsDeclaredAgain() {
		Ticks others = new Ticks();
		Away away = new Away();
		try (ListenerApplication declarer = declaring(new Ticks(), "300ms").bean(away)
			.with("redelay.queue.recurrence.drop-after", "1s")
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			RecurringMessages recurring = declarer.bean(RecurringMessages.class);
			Awaitility.await().until(() -> recurring.find(this.queue, "tick").isPresent());
			away.isAway = true;
			try (ListenerApplication listener = listening(others).start()) {
				Awaitility.await()
					.until(() -> others.events.stream().anyMatch((event) -> event.kind() == Kind.DROPPED));
				assertThat(recurring.find(this.queue, "tick")).isEmpty();
				away.isAway = false;
				Awaitility.await().until(() -> recurring.find(this.queue, "tick").isPresent());
				int handled = others.handled.size();
				Awaitility.await().until(() -> others.handled.size() > handled);
			}
		}
	}

	/**
	 * The application declares it while it starts, and a command that removes it then
	 * need not know whether that has come to Redis.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsRemovedWhileItIsBeingDeclaredStaysRemoved(boolean fails) {
		Declaring declaring = new Declaring(fails);
		try (ListenerApplication application = declaring(new Ticks(), "1h").bean(declaring).start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			Awaitility.await().until(() -> declaring.writes.get() > 0);
			CompletableFuture<Boolean> removed = CompletableFuture
				.supplyAsync(() -> recurring.remove(this.queue, "tick"), (task) -> new Thread(task).start());
			if (fails) {
				// There is nothing to remove yet, and it is not declared again.
				assertThat(removed).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(false);
				Awaitility.await().during(Duration.ofSeconds(6)).until(() -> declaring.writes.get() == 1);
			}
			else {
				Awaitility.await().during(Duration.ofMillis(300)).until(() -> !removed.isDone());
				declaring.written.complete(null);
				assertThat(removed).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
			}
			assertThat(recurring.find(this.queue, "tick")).isEmpty();
			assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).scheduled()).isZero();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theVersionThatStartsLastWinsAndTheOtherOneTakesOverWhenItHasEnded() {
		Ticks ticks = new Ticks();
		try (ListenerApplication old = declaring(ticks, "1h").start()) {
			RecurringMessages recurring = old.bean(RecurringMessages.class);
			Awaitility.await().until(() -> recurring.find(this.queue, "tick").isPresent());
			RecurringMaintenance care = old.bean(RecurringMaintenance.class);
			try (ListenerApplication next = declaring(new Ticks(), "2h")
				.with("redelay.queue.recurrence.drop-after", "1s")
				.start()) {
				Awaitility.await().until(() -> schedule(recurring).equals("every PT2H"));
				RecurringMaintenanceDriver.lookThrough(care, this.queue);
				assertThat(schedule(recurring)).as("a living instance does not fight").isEqualTo("every PT2H");
				assertThat(old.bean(QueueAdmin.class).queues().info(this.queue).scheduled()).isOne();
			}
			Awaitility.await().untilAsserted(() -> {
				RecurringMaintenanceDriver.lookThrough(care, this.queue);
				assertThat(schedule(recurring)).isEqualTo("every PT1H");
			});
			assertThat(old.bean(QueueAdmin.class).queues().info(this.queue).scheduled()).isOne();
		}
	}

	private String schedule(RecurringMessages recurring) {
		return recurring.find(this.queue, "tick").orElseThrow().schedule();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeletedQueueGetsItsRecurringMessagesBackFromItsDeclarers() {
		try (ListenerApplication application = declaring(new Ticks(), "1h").start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			Awaitility.await().until(() -> recurring.find(this.queue, "tick").isPresent());
			application.registry()
				.getContainers()
				.forEach((container) -> container.stop(Duration.ofSeconds(10)).join());
			application.bean(QueueAdmin.class).control().deleteWithMessages(this.queue);
			assertThat(recurring.find(this.queue, "tick")).isPresent();
			assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).scheduled()).isOne();
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueThatAnotherInstanceDeletesGetsItsRecurringMessagesBackWhenTheirTickIsOverdue() {
		try (ListenerApplication declarer = ListenerApplication.on(redis)
			.with("redelay.queue.recurring.tick.queue", this.queue)
			.with("redelay.queue.recurring.tick.every", "15s")
			.with("redelay.queue.recurring.tick.late-after", "100ms")
			.start(); ListenerApplication other = ListenerApplication.on(redis).start()) {
			RecurringMessages recurring = other.bean(RecurringMessages.class);
			Awaitility.await().until(() -> recurring.find(this.queue, "tick").isPresent());
			other.bean(QueueAdmin.class).control().deleteWithMessages(this.queue);
			Awaitility.await().until(() -> recurring.find(this.queue, "tick").isPresent());
			declarer.bean(RecurringMessages.class).remove(this.queue, "tick");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTickThatFailsIsTriedAgainLikeOtherMessagesAndHasItsHeaders() {
		Failing failing = new Failing();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(failing)
			.with("test.queue", this.queue)
			.start()) {
			application.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "failing", Duration.ofHours(1)));
			application.bean(RecurringMessages.class).runNow(this.queue, "failing");
			application.queues().send(OutboundMessage.to(this.queue, new RecurringTick("sent", Instant.EPOCH)));
			Awaitility.await().until(() -> failing.seen.size() == 3);
			assertThat(failing.seen).contains("sent null").filteredOn("failing"::equals).isEmpty();
			assertThat(failing.seen).filteredOn((each) -> each.startsWith("failing ")).hasSize(2);
			application.bean(RecurringMessages.class).remove(this.queue, "failing");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofManyRunsOfOneNowAtATimeOnlyOneHappens() {
		try (ListenerApplication one = ListenerApplication.on(redis).start();
				ListenerApplication other = ListenerApplication.on(redis).start()) {
			one.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofDays(1)));
			CountDownLatch begin = new CountDownLatch(1);
			List<CompletableFuture<Boolean>> asked = IntStream.range(0, 16).mapToObj((i) -> {
				RecurringMessages recurring = ((i % 2 == 0) ? one : other).bean(RecurringMessages.class);
				// A thread each: the common pool may have only one.
				return CompletableFuture.supplyAsync(() -> {
					await(begin);
					return recurring.runNow(this.queue, "tick");
				}, (task) -> new Thread(task).start());
			}).toList();
			begin.countDown();
			List<Boolean> ran = asked.stream().map(CompletableFuture::join).toList();
			assertThat(ran).containsOnlyOnce(true);
			assertThat(one.bean(QueueAdmin.class).queues().info(this.queue))
				.satisfies((info) -> assertThat(info.ready() + info.scheduled()).as("that one, and the next tick")
					.isEqualTo(2));
			one.bean(RecurringMessages.class).remove(this.queue, "tick");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueWithPartitionsHasItsTicksInTheFirstOne() {
		Ticks ticks = new Ticks();
		try (ListenerApplication application = listening(ticks)
			.with("redelay.queue.queues." + this.queue + ".partitions", 4)
			.start()) {
			application.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "tick", SHORT).overlap(OverlappingRuns.QUEUE));
			Awaitility.await().until(() -> ticks.handled.size() >= 3);
			application.bean(RecurringMessages.class).remove(this.queue, "tick");
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private ListenerApplication.Builder declaring(Ticks ticks, String every) {
		return listening(ticks).with("redelay.queue.recurring.tick.queue", this.queue)
			.with("redelay.queue.recurring.tick.every", every);
	}

	private ListenerApplication.Builder listening(Ticks ticks) {
		return ListenerApplication.on(redis).bean(ticks).with("test.queue", this.queue);
	}

	/**
	 * Keeps an instance from reporting the others that it lives, as a network would.
	 */
	static class Away implements BeanPostProcessor {

		volatile boolean isAway;

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof RecurringStore store) ? Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RecurringStore.class }, (proxy, method, arguments) -> {
						if (this.isAway && method.getName().equals("announce")) {
							return CompletableFuture.failedFuture(new StoreException("no network", null));
						}
						return method.invoke(store, arguments);
					}) : bean;
		}

	}

	/**
	 * Holds up the first write of a recurring message, or has it fail.
	 */
	static class Declaring implements BeanPostProcessor {

		final AtomicInteger writes = new AtomicInteger();

		final CompletableFuture<Void> written = new CompletableFuture<>();

		private final boolean fails;

		Declaring(boolean fails) {
			this.fails = fails;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof RecurringStore store) ? Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RecurringStore.class }, (proxy, method, arguments) -> {
						if (!method.getName().equals("write") || this.writes.getAndIncrement() > 0) {
							return method.invoke(store, arguments);
						}
						return this.fails ? CompletableFuture.failedFuture(new StoreException("no network", null))
								: this.written.thenCompose((now) -> write(store, arguments));
					}) : bean;
		}

		private static CompletableFuture<Boolean> write(RecurringStore store, Object[] arguments) {
			return store.write((String) arguments[0], (RecurringStore.Change) arguments[1]);
		}

	}

	static class Events {

		final Queue<RecurringEvent> events = new ConcurrentLinkedQueue<>();

		@EventListener
		void on(RecurringEvent event) {
			this.events.add(event);
		}

		boolean has(Kind kind) {
			return this.events.stream().anyMatch((event) -> event.kind() == kind);
		}

	}

	static class Ticks extends Events {

		final Queue<RecurringTick> handled = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(RecurringTick tick) {
			this.handled.add(tick);
		}

	}

	static class Slow extends Events {

		final Queue<Instant> begun = new ConcurrentLinkedQueue<>();

		final Semaphore room = new Semaphore(0);

		@QueueListener(queues = "${test.queue}", concurrency = "${test.concurrency}")
		void handle(RecurringTick tick) throws InterruptedException {
			this.begun.add(tick.scheduledFor());
			this.room.acquire();
		}

	}

	static class Payloads {

		final Queue<String> handled = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(Text payload, @Header(QueueHeaders.RECURRING) String name) {
			this.handled.add(name + ": " + payload.text());
		}

	}

	record Text(String text) {

	}

	static class Maker {

		@RecurringMessage(queue = "${test.queue}", every = "150ms")
		Text make() {
			return new Text("of a method");
		}

	}

	static class Failing {

		final Queue<String> seen = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(RecurringTick tick, DeliveryInfo delivery,
				@Header(name = QueueHeaders.TICK, required = false) @Nullable Instant time) {
			this.seen.add(tick.name() + " " + time);
			if (tick.name().equals("failing") && delivery.failures() == 0) {
				throw new IllegalStateException("thrown by a test");
			}
		}

	}

	static class TaggedMaker {

		@RecurringMessage(queue = "${test.queue}", cron = "0 0 2 1 1 *", tags = { "${test.tag}", "all" })
		String make() {
			return "tagged";
		}

	}

	static class TwoSchedules {

		private final Queue<String> handled = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		@RecurringMessage(name = "often", every = "150ms")
		@RecurringMessage(name = "rarely", every = "300ms")
		void handle(RecurringTick tick) {
			this.handled.add(tick.name());
		}

	}

}
