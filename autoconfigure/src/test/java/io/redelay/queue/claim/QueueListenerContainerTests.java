package io.redelay.queue.claim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.redelay.queue.AckMode;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.RenewLaneScript;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.wire.WakeUpSource;
import io.redelay.scheduling.QueueThreads;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.IdleStore;
import io.redelay.test.ListenerRuntimeBuilder;
import io.redelay.test.TestSettings;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueListenerContainer} on a store that answers as it is set.
 */
class QueueListenerContainerTests {

	private static final String QUEUE = "orders";

	private final QueueThreads threads = QueueThreads.platform();

	private final ScriptedStore store = new ScriptedStore();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	private DeliveryHandler handler = (deliveries) -> {
		this.handled.add(deliveries.stream().map((delivery) -> delivery.info().uid()).toList().toString());
		return null;
	};

	private Executor executor = this.threads.handlers();

	private ScheduledExecutorService timer = this.threads.timer();

	private @Nullable Duration maxHandlingTime;

	private int prefetch;

	private AckMode ackMode = AckMode.AUTO;

	private QueueListenerContainer container;

	@AfterEach
	void stop() throws Exception {
		this.container.stop(Duration.ofSeconds(1)).get(60, TimeUnit.SECONDS);
		this.timer.shutdownNow();
		this.threads.close();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void claimsHandlesAndSettles() {
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		awaitHandled("[a]");
		Settlement settlement = this.store.awaitSettlements(1).get(0);
		assertThat(settlement).isEqualTo(Settlement.ack("a", 1));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsRememberedOfSettlementsIsForgottenWhenItStops() throws Exception {
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		this.store.awaitSettlements(1);
		Awaitility.await().until(() -> remembered() > 0);
		this.container.stop(Duration.ofSeconds(5)).get(60, TimeUnit.SECONDS);
		assertThat(remembered()).isZero();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void givesBackWhatRunsWhenTheLimitIsOverAlthoughTheTimerIsClosed() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		this.handler = (deliveries) -> {
			begun.countDown();
			end.await();
			return null;
		};
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		begun.await();
		this.timer.shutdownNow();
		try {
			this.container.stop(Duration.ofMillis(100)).get(60, TimeUnit.SECONDS);
			assertThat(this.store.awaitSettlements(1).get(0)).isEqualTo(Settlement.giveBack("a", 1, Duration.ZERO));
		}
		finally {
			end.countDown();
		}
	}

	private long remembered() {
		Object bytes = ReflectionTestUtils.getField(this.store.replayMemory(), "bytes");
		return ((Number) Objects.requireNonNull(bytes)).longValue();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotBeReadForWhateverReasonIsBuried() {
		this.store.answer(new ClaimReply.Message("a", 1, 0, 0, false, null),
				message("b", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		awaitHandled("[b]");
		assertThat(this.store.awaitSettlements(2)).extracting(Settlement::action)
			.containsExactly(Settlement.Action.BURY, Settlement.Action.ACK);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchIsSettledInOneRequestAndTheNextOneIsFull() {
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"), message("b", "{\"sentAt\":1,\"payload\":1}"),
				message("c", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 3);
		awaitHandled("[a, b, c]");
		ClaimRequest request = this.store.awaitRequest((each) -> !each.settlements().isEmpty());
		assertThat(request.settlements()).hasSize(3);
		assertThat(request.wanted()).isEqualTo(3);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anAnswerThatComesLateMakesNothingExpire() {
		CompletableFuture<ClaimReply> late = new CompletableFuture<>();
		this.store.answer(late);
		start(1, 1);
		this.store.awaitRequest((request) -> true);
		// Redis answered 100 ms after the message was due, and the answer took three
		// seconds.
		Awaitility.await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		late.complete(
				reply(Instant.ofEpochMilli(1100), message("a", "{\"sentAt\":1000,\"timeToLive\":3000,\"payload\":1}")));
		awaitHandled("[a]");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWaitedTooLongHereExpires() {
		this.store.answer(CompletableFuture.completedFuture(
				reply(Instant.ofEpochMilli(1500), message("a", "{\"sentAt\":1000,\"timeToLive\":500,\"payload\":1}"))));
		start(1, 1);
		assertThat(this.store.awaitSettlements(1).get(0).action()).isEqualTo(Settlement.Action.BURY);
		assertThat(this.handled).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerWhoseTimeIsUpBeforeItBeginsDoesNotBegin() {
		this.maxHandlingTime = Duration.ofSeconds(20);
		this.timer = new ImpatientTimer(this.maxHandlingTime);
		this.executor = Runnable::run;
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		assertThat(this.store.awaitSettlements(1)).extracting(Settlement::action)
			.containsExactly(Settlement.Action.RETRY);
		assertThat(this.handled).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadLaneIsFollowedByOneThatTakesOverWhatRuns() {
		CompletableFuture<Void> running = beginAndLoseTheLane();
		ResumeScript.Request resumed = this.store.awaitResumption();
		assertThat(resumed.former()).isEqualTo("idle.1");
		assertThat(resumed.holdings()).containsExactly(new ResumeScript.Holding("a", 1, false));
		ClaimRequest request = this.store.awaitRequest((each) -> each.lane().equals("idle.2"));
		assertThat(request.seq()).isEqualTo(resumed.seq() + 1);
		running.complete(null);
		assertThat(this.store.awaitSettlements(1)).containsExactly(Settlement.ack("a", 1));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatANewLaneDoesNotTakeOverIsAcknowledgedLate() {
		this.store.resumption = new ResumeScript.Reply(LaneStatus.OK, 0, Set.of("a"));
		CompletableFuture<Void> running = beginAndLoseTheLane();
		this.store.awaitRequest((each) -> each.lane().equals("idle.2"));
		running.complete(null);
		assertThat(this.store.awaitSettlements(1)).containsExactly(Settlement.ack("a", Settlement.LATE));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatTheNextLaneAcknowledgesFirstIsNotTakenForLostWithTheLaneBefore() {
		this.ackMode = AckMode.BEFORE_HANDLING;
		// All that the loop does until Redis answers, it does before it leaves the reply
		// that
		// the lane is gone.
		this.executor = Runnable::run;
		this.store.settling = new CompletableFuture<>();
		this.store.answer(CompletableFuture
			.completedFuture(new ClaimReply(LaneStatus.GONE, Instant.EPOCH, null, Set.of(), List.of(), 0)));
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		assertThat(this.store.awaitSettlements(1)).containsExactly(Settlement.ack("a", 2));
		this.store.settling.complete(reply(Instant.ofEpochMilli(1000)));
		awaitHandled("[a]");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCancellationThatOvertakesTheReplyToTheClaimCounts() {
		CompletableFuture<ClaimReply> late = new CompletableFuture<>();
		this.store.answer(late);
		start(1, 1);
		String lane = this.store.awaitRequest((request) -> true).lane();
		this.store.listener.cancelled(lane, "a");
		late.complete(reply(Instant.ofEpochMilli(1000), message("a", "{\"sentAt\":1,\"payload\":1}"),
				message("b", "{\"sentAt\":1,\"payload\":1}")));
		awaitHandled("[b]");
		assertThat(this.store.awaitSettlements(2)).extracting(Settlement::action)
			.containsExactlyInAnyOrder(Settlement.Action.CANCEL, Settlement.Action.ACK);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCancellationWhileTheLaneIsReplacedIsLookedFor() {
		this.store.cancelledMeanwhile = Set.of("a");
		CompletableFuture<Void> running = beginAndLoseTheLane();
		this.store.awaitRequest((each) -> each.lane().equals("idle.2"));
		running.completeExceptionally(new IllegalStateException("ends as it was asked to"));
		assertThat(this.store.awaitSettlements(1)).extracting(Settlement::action)
			.containsExactly(Settlement.Action.CANCEL);
	}

	private CompletableFuture<Void> beginAndLoseTheLane() {
		CompletableFuture<Void> running = new CompletableFuture<>();
		this.handler = (deliveries) -> {
			this.handled.add("begun");
			return running;
		};
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(2, 1);
		awaitHandled("begun");
		this.store.answer(CompletableFuture
			.completedFuture(new ClaimReply(LaneStatus.GONE, Instant.EPOCH, null, Set.of(), List.of(), 0)));
		this.store.listener.wakeUp("idle.1");
		return running;
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void afterAnUnknownOutcomeTheSameRequestIsSentAgain() {
		this.handler = (deliveries) -> {
			throw new BatchFailedException(Map.of(1, new IllegalStateException("bad")));
		};
		this.store.answer(message("good", "{\"sentAt\":1,\"payload\":1}"),
				message("bad", "{\"sentAt\":1,\"payload\":1}"));
		this.store.failWhenSettling = 1;
		start(1, 2);
		Awaitility.await().until(() -> settling().size() == 2);
		assertThat(settling().get(1).settlements()).isEqualTo(settling().get(0).settlements()).hasSize(2);
		assertThat(settling().get(1).seq()).isEqualTo(settling().get(0).seq());
		assertThat(settling().get(1).lane()).isEqualTo(settling().get(0).lane());
	}

	private List<ClaimRequest> settling() {
		return this.store.requests().stream().filter((request) -> !request.settlements().isEmpty()).toList();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneIsRenewedWhileItsLastSettlementIsOnTheWire() {
		this.store.settling = new CompletableFuture<>();
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1, Duration.ofMillis(300));
		this.store.awaitSettlements(1);
		int before = this.store.renewals.get();
		Awaitility.await().until(() -> this.store.renewals.get() >= before + 3);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsHeldTooLongToStartGoesBack() {
		CompletableFuture<ClaimReply> late = new CompletableFuture<>();
		this.store.answer(late);
		this.store.renewal = new CompletableFuture<>();
		start(1, 1, Duration.ofMillis(200));
		this.store.awaitRequest((request) -> true);
		Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		late.complete(reply(Instant.EPOCH, message("a", "{\"sentAt\":1,\"payload\":1}")));
		assertThat(this.store.awaitSettlements(1)).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO));
		assertThat(this.handled).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatInterruptsItsThreadDoesNotInterruptTheNextOne() {
		this.handler = (deliveries) -> {
			this.handled.add(Thread.currentThread().getName() + " " + Thread.currentThread().isInterrupted());
			Thread.currentThread().interrupt();
			return null;
		};
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"), message("b", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		awaitHandled("redelay-handler-1 false", "redelay-handler-1 false");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void triesAgainWhenThereIsNoThread() {
		AtomicInteger refusals = new AtomicInteger();
		this.executor = (action) -> {
			if (refusals.getAndIncrement() == 0) {
				throw new RejectedExecutionException("none");
			}
			this.threads.handlers().execute(action);
		};
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		awaitHandled("[a]");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void asksOnWhenTheStoreFails() {
		this.store.answer(CompletableFuture.failedFuture(new OutcomeUnknownException("no answer", null)));
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		awaitHandled("[a]");
		Awaitility.await().until(() -> this.store.requests().size() > 2);
		assertThat(this.store.requests()).extracting(ClaimRequest::lane)
			.startsWith("idle.1", "idle.1")
			.allMatch("idle.1"::equals);
		assertThat(this.store.requests()).extracting(ClaimRequest::seq).startsWith(1L, 1L, 2L);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void asksOnWhenTheTimerHasNoThreadForIt() {
		this.timer = new ScheduledThreadPoolExecutor(1, (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		this.store.answer(CompletableFuture.failedFuture(new StoreException("refused", null)));
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		awaitHandled("[a]");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHadAThreadButHadNotBegunWhenItStoppedGoesBack() {
		List<Runnable> tasks = new CopyOnWriteArrayList<>();
		this.executor = tasks::add;
		this.store.answer(message("a", "{\"sentAt\":1,\"payload\":1}"));
		start(1, 1);
		Awaitility.await().until(() -> tasks.size() == 1);
		CompletableFuture<Void> stopped = this.container.stop(Duration.ofSeconds(5));
		tasks.get(0).run();
		assertThat(this.store.awaitSettlements(1)).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO));
		assertThat(stopped).succeedsWithin(Duration.ofMinutes(1));
		assertThat(this.handled).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatComesWhenItIsPausedGoesBackInOrder() {
		List<Runnable> tasks = new CopyOnWriteArrayList<>();
		this.executor = tasks::add;
		this.prefetch = 5;
		CompletableFuture<ClaimReply> late = new CompletableFuture<>();
		this.store.answer(late);
		start(1, 1);
		this.store.awaitRequest((request) -> true);
		this.container.pause();
		late.complete(reply(Instant.ofEpochMilli(1000), message("a", "{\"sentAt\":1,\"payload\":1}"),
				message("b", "{\"sentAt\":1,\"payload\":1}")));
		tasks.forEach(Runnable::run);
		assertThat(this.store.awaitSettlements(2)).containsExactly(Settlement.giveBack("a", 1, Duration.ZERO),
				Settlement.giveBack("b", 1, Duration.ZERO));
		assertThat(this.handled).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theQuickShareAThread() {
		AtomicInteger tasks = new AtomicInteger();
		this.executor = (task) -> {
			tasks.incrementAndGet();
			this.threads.handlers().execute(task);
		};
		start(8, 1);
		this.store.awaitRequest((request) -> true);
		// At any moment a thread may be held up for so long that another one is asked
		// for.
		Awaitility.await("two quick messages on one thread")
			.atMost(Duration.ofMinutes(1))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> {
				int before = tasks.get();
				int expected = this.handled.size() + 2;
				this.store.answer(message(expected + "a", "{\"sentAt\":1,\"payload\":1}"),
						message(expected + "b", "{\"sentAt\":1,\"payload\":1}"));
				this.store.listener.wakeUpAll();
				Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> this.handled.size() == expected);
				return tasks.get() == before + 1;
			});
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void closesItsLaneWhenItStops() throws Exception {
		start(1, 1);
		this.store.awaitRequest((request) -> true);
		this.container.stop(Duration.ofSeconds(5)).get(60, TimeUnit.SECONDS);
		assertThat(this.store.closed).containsExactly("idle.1");
		int before = this.store.requests().size();
		this.store.listener.wakeUpAll();
		assertThat(this.store.requests()).hasSize(before);
	}

	private void awaitHandled(String... expected) {
		Awaitility.await().until(() -> this.handled.size() == expected.length);
		assertThat(this.handled).containsExactly(expected);
	}

	private void start(int concurrency, int batchSize) {
		start(concurrency, batchSize, Duration.ofSeconds(30));
	}

	private void start(int concurrency, int batchSize, Duration lease) {
		ListenerRuntime runtime = new ListenerRuntimeBuilder(this.store.scripts(),
				Scheduler.of(this.timer, this.executor))
			.handlers(this.executor, Scheduler.of(this.timer, this.executor))
			.build();
		ContainerSettings settings = new ContainerSettings("test",
				Map.of(QUEUE,
						TestSettings.queue(lease, this.maxHandlingTime, RetrySettings.DEFAULTS,
								TestSettings.DEAD_LETTERS)),
				new ContainerSettings.Concurrency(concurrency, concurrency, this.prefetch), this.ackMode,
				new ContainerSettings.Batch(batchSize, Duration.ZERO), true, List.of());
		this.container = new QueueListenerContainer(settings, (deliveries) -> this.handler.handle(deliveries), runtime);
		this.container.start();
	}

	private static ClaimReply reply(Instant time, ClaimReply.Message... messages) {
		return new ClaimReply(LaneStatus.OK, time, null, Set.of(), List.of(messages), 0);
	}

	private static ClaimReply.Message message(String uid, String envelope) {
		return new ClaimReply.Message(uid, 1, 0, 0, false, envelope.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Does at once what is to be done after a certain time.
	 */
	private static final class ImpatientTimer extends ScheduledThreadPoolExecutor {

		private final Duration skipped;

		ImpatientTimer(Duration skipped) {
			super(1);
			this.skipped = skipped;
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
			if (unit.toNanos(delay) != this.skipped.toNanos()) {
				return super.schedule(command, delay, unit);
			}
			command.run();
			return super.schedule(() -> {
			}, 0, unit);
		}

	}

	/**
	 * Gives the answers that it was asked to claims that want something, and empty ones
	 * when there are no more.
	 */
	private static final class ScriptedStore extends IdleStore {

		private final ReplayMemory memory = new ReplayMemory(Duration.ofMinutes(1), 1_000_000, (rollback) -> {
		});

		private final Deque<CompletableFuture<ClaimReply>> answers = new ArrayDeque<>();

		private final List<ClaimRequest> requests = new ArrayList<>();

		private final List<String> closed = new CopyOnWriteArrayList<>();

		private volatile Set<String> cancelled = Set.of();

		/**
		 * What is cancelled while another lane takes over.
		 */
		private Set<String> cancelledMeanwhile = Set.of();

		private int failWhenSettling;

		volatile ResumeScript.Reply resumption = new ResumeScript.Reply(LaneStatus.OK, 0, Set.of());

		private final List<ResumeScript.Request> resumptions = new CopyOnWriteArrayList<>();

		final AtomicInteger renewals = new AtomicInteger();

		/**
		 * What is answered to claims that settle something, if not at once.
		 */
		private CompletableFuture<ClaimReply> settling;

		private CompletableFuture<RenewLaneScript.Reply> renewal = CompletableFuture
			.completedFuture(new RenewLaneScript.Reply(true, false));

		private WakeUpSource.Listener listener;

		void answer(ClaimReply.Message... messages) {
			answer(CompletableFuture.completedFuture(reply(Instant.ofEpochMilli(1000), messages)));
		}

		synchronized void answer(CompletableFuture<ClaimReply> answer) {
			this.answers.add(answer);
		}

		@Override
		protected ReplayMemory replayMemory() {
			return this.memory;
		}

		@Override
		protected synchronized CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
			this.requests.add(request);
			if (!request.settlements().isEmpty() && this.failWhenSettling-- > 0) {
				return CompletableFuture.failedFuture(new OutcomeUnknownException("no answer", null));
			}
			if (!request.settlements().isEmpty() && this.settling != null) {
				return this.settling;
			}
			CompletableFuture<ClaimReply> answer = (request.wanted() > 0) ? this.answers.poll() : null;
			return (answer != null) ? answer : super.claim(queue, request);
		}

		@Override
		protected synchronized CompletableFuture<ResumeScript.Reply> resume(String queue,
				ResumeScript.Request request) {
			this.resumptions.add(request);
			this.cancelled = this.cancelledMeanwhile;
			return CompletableFuture.completedFuture(this.resumption);
		}

		ResumeScript.Request awaitResumption() {
			Awaitility.await().until(() -> !this.resumptions.isEmpty());
			return this.resumptions.get(0);
		}

		@Override
		protected CompletableFuture<RenewLaneScript.Reply> renewLane(String queue, String lane, Duration lease,
				long answered) {
			this.renewals.incrementAndGet();
			return this.renewal;
		}

		@Override
		protected CompletableFuture<Void> closeLane(String queue, String lane) {
			this.closed.add(lane);
			return super.closeLane(queue, lane);
		}

		@Override
		protected CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
			return CompletableFuture.completedFuture(this.cancelled);
		}

		@Override
		protected WakeUpSource.Subscription subscribe(WakeUpSource.Listener listener) {
			this.listener = listener;
			return super.subscribe(listener);
		}

		synchronized List<ClaimRequest> requests() {
			return List.copyOf(this.requests);
		}

		ClaimRequest awaitRequest(Predicate<ClaimRequest> wanted) {
			return Awaitility.await()
				.until(() -> requests().stream().filter(wanted).findFirst(), Optional::isPresent)
				.orElseThrow();
		}

		List<Settlement> awaitSettlements(int count) {
			return Awaitility.await()
				.until(() -> requests().stream().flatMap((request) -> request.settlements().stream()).toList(),
						(all) -> all.size() >= count);
		}

	}

}
