package io.redelay.queue.request;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.SendScripts;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.TestSender;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestBatcher}.
 */
class RequestBatcherIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final int THREADS = 16;

	private static final int EACH = 300;

	private final TestQueue queue = new TestQueue(
			TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(5), timer, ReplayMemory.NONE));

	private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

	/**
	 * The requests that are on their way.
	 */
	private final Set<SendRequest> onTheirWay = ConcurrentHashMap.newKeySet();

	private final AtomicInteger most = new AtomicInteger();

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@AfterEach
	void shutDownThreads() {
		this.threads.shutdownNow();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatcherWhoseRequestCouldNotBeMadeSendsTheNext() {
		AtomicBoolean fails = new AtomicBoolean();
		TestSender batcher = batcher((request) -> {
			if (fails.getAndSet(false)) {
				throw new OutOfMemoryError("thrown on purpose");
			}
			return true;
		});
		TestQueue.get(batcher.send(this.queue.messages(1)));
		fails.set(true);
		assertThat(batcher.send(this.queue.messages(1))).failsWithin(Duration.ofMinutes(2));
		assertThat(TestQueue.get(batcher.send(this.queue.messages(1))).status()).isEqualTo(LaneStatus.OK);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueThatIsDeletedAgainAndAgainDuringASendGetsItsMessage() {
		AdminScripts admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(5), timer,
				ReplayMemory.NONE, new RedisAvailability(timer));
		AtomicInteger deletions = new AtomicInteger(3);
		RequestProtocol<NewMessage, SendReply> sends = sends(null);
		TestSender batcher = new TestSender(new RequestProtocol<>(sends.settings(), sends.bytes(), sends.open(),
				(lane, seq, renews, messages, attempt) -> ((deletions.getAndDecrement() > 0)
						? new DeleteScript(admin).run(this.queue.name, true) : CompletableFuture.completedFuture(null))
					.thenCompose((deleted) -> sends.run().run(lane, seq, renews, messages, attempt)),
				sends.check()), ReplayMemory.NONE);
		assertThat(TestQueue.get(batcher.send(this.queue.messages(1))).status()).isEqualTo(LaneStatus.OK);
		assertThat(payloads()).containsExactly("m0");
		deletions.set(100);
		assertThat(batcher.send(this.queue.messages(1))).failsWithin(Duration.ofMinutes(2))
			.withThrowableOfType(ExecutionException.class)
			.withCauseExactlyInstanceOf(StoreException.class)
			.withMessageContaining(this.queue.name)
			.withMessageContaining("deleted");
		assertThat(deletions).hasPositiveValue();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whileAllWaitForTheirAnswersTwoRequestsAreOnTheirWay() throws Exception {
		TestSender batcher = batcher((request) -> true);
		// It takes several threads that are back from one answer at the same time.
		int rounds = 0;
		while (this.most.get() < 2 && rounds < 20) {
			String round = "m" + rounds++ + "-";
			share((number) -> TestQueue.get(batcher.sendUnordered(List.of(this.queue.message(round + number)))));
		}
		assertThat(this.most).hasValue(2);
		assertThat(payloads()).hasSize(rounds * THREADS * EACH).doesNotHaveDuplicates();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSenderThatDoesNotWaitKeepsTheOrder() throws Exception {
		AtomicBoolean overtaken = new AtomicBoolean();
		TestSender batcher = batcher((request) -> {
			List<SendRequest> others = new ArrayList<>(this.onTheirWay);
			others.remove(request);
			if (!others.isEmpty() && (isOrdered(request) || others.stream().anyMatch(this::isOrdered))) {
				overtaken.set(true);
			}
			return true;
		});
		List<CompletableFuture<SendReply>> ordered = new ArrayList<>();
		share((number) -> {
			if (number % 100 == 0) {
				synchronized (ordered) {
					ordered.add(batcher.send(List.of(this.queue.message("ordered-" + ordered.size()))));
				}
			}
			else {
				TestQueue.get(batcher.sendUnordered(List.of(this.queue.message("m" + number))));
			}
		});
		ordered.forEach(TestQueue::get);
		assertThat(overtaken).isFalse();
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < THREADS * EACH / 100; i++) {
			expected.add("ordered-" + i);
		}
		assertThat(payloads()).hasSize(THREADS * EACH)
			.filteredOn((payload) -> payload.startsWith("ordered-"))
			.isEqualTo(expected);
		assertThat(this.most).hasValueLessThanOrEqualTo(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRequestThatFailsConcernsNoOther() throws Exception {
		AtomicInteger requests = new AtomicInteger();
		TestSender batcher = batcher((request) -> requests.incrementAndGet() % 10 != 0);
		AtomicInteger failed = new AtomicInteger();
		share((number) -> {
			try {
				batcher.sendUnordered(List.of(this.queue.message("m" + number))).get(2, TimeUnit.MINUTES);
			}
			catch (Exception ex) {
				assertThat(ex).hasCauseInstanceOf(StoreException.class);
				failed.incrementAndGet();
			}
		});
		assertThat(failed).hasPositiveValue();
		assertThat(payloads()).hasSize(THREADS * EACH - failed.get()).doesNotHaveDuplicates();
		assertThat(this.most).hasValueLessThanOrEqualTo(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFullQueueTakesWhatItCanOfRequestsSideBySide() throws Exception {
		TestSender batcher = batcher((request) -> true, new LengthLimit(1_000, false, null));
		Map<LaneStatus, AtomicInteger> replies = new ConcurrentHashMap<>();
		share((number) -> {
			SendReply reply = TestQueue.get(batcher.sendUnordered(List.of(this.queue.message("m" + number))));
			replies.computeIfAbsent(reply.status(), (status) -> new AtomicInteger()).incrementAndGet();
		});
		assertThat(replies.get(LaneStatus.OK)).hasValue(1_000);
		assertThat(replies.get(LaneStatus.FULL)).hasValue(THREADS * EACH - 1_000);
		assertThat(payloads()).hasSize(1_000).doesNotHaveDuplicates();
		assertThat(this.most).hasValueLessThanOrEqualTo(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneInUseIsRenewedNowAndThen() {
		List<SendRequest> requests = new ArrayList<>();
		TestSender seldom = batcher(requests::add);
		TestSender often = batcher(requests::add, null, Duration.ZERO, SenderMemory.RECOGNISED);
		for (TestSender batcher : List.of(seldom, often)) {
			for (int i = 0; i < 3; i++) {
				TestQueue.get(batcher.send(List.of(this.queue.message("m"))));
			}
		}
		assertThat(requests).extracting(SendRequest::renews).containsExactly(false, false, false, false, true, true);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneThatRedisMayHaveForgottenIsFollowedByANewOne() {
		List<SendRequest> requests = new ArrayList<>();
		TestSender batcher = batcher(requests::add, null, Duration.ZERO, Duration.ZERO);
		TestQueue.get(batcher.send(this.queue.messages(1)));
		redis.client().getKeys().delete(this.queue.key("sent:" + requests.get(0).lane()));
		TestQueue.get(batcher.send(this.queue.messages(1)));
		// It is not held back, as one would be that was perhaps carried out before.
		assertThat(requests).extracting(SendRequest::again).containsExactly(false, false);
		assertThat(payloads()).hasSize(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSenderThatEndsWithAFailureRepairsWhatIsMissing() {
		List<Rollback> rollbacks = new CopyOnWriteArrayList<>();
		ReplayMemory memory = new ReplayMemory(Duration.ofMinutes(1), 1_000_000, rollbacks::add);
		AtomicReference<Throwable> failure = new AtomicReference<>();
		TestSender batcher = batcher(memory, failure);
		TestQueue.get(batcher.send(List.of(this.queue.message("first"))));
		failure.set(new OutcomeUnknownException("thrown on purpose", null));
		assertThat(batcher.send(List.of(this.queue.message("unknown")))).failsWithin(Duration.ofMinutes(2));
		redis.client().getKeys().deleteByPattern("redelay:{" + this.queue.name + "}*");
		memory.checkAll();
		assertComesBack("first");
		assertThat(rollbacks).containsExactly(new Rollback(this.queue.name, Rollback.Lane.SENDER, 1, 1, 0, 0));
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatCouldNotBeSentAgainIsSentAgainLater() {
		List<Rollback> rollbacks = new CopyOnWriteArrayList<>();
		ReplayMemory memory = new ReplayMemory(Duration.ofMinutes(1), 1_000_000, (rollback) -> {
			rollbacks.add(rollback);
			throw new AssertionError("thrown on purpose");
		});
		AtomicReference<Throwable> failure = new AtomicReference<>();
		TestSender batcher = batcher(memory, failure);
		TestQueue.get(batcher.send(List.of(this.queue.message("first"))));
		redis.client().getKeys().deleteByPattern("redelay:{" + this.queue.name + "}*");
		failure.set(new OutcomeUnknownException("thrown on purpose", null));
		Awaitility.await().until(() -> {
			memory.checkAll();
			return rollbacks.size() == 2;
		});
		assertComesBack("first");
		assertThat(rollbacks).extracting(Rollback::repeated).containsExactly(0L, 1L);
		assertThat(rollbacks).extracting(Rollback::missing).containsOnly(0L);
		assertThat(TestQueue.get(batcher.send(List.of(this.queue.message("second")))).status())
			.isEqualTo(LaneStatus.OK);
	}

	private void assertComesBack(String payload) {
		TestQueue.Consumer consumer = this.queue.consumer();
		Awaitility.await()
			.until(() -> consumer.claim(10).messages().stream().map(TestQueue::payload).toList(),
					List.of(payload)::equals);
	}

	/**
	 * A batcher with a memory, of which one request fails if set so.
	 */
	private TestSender batcher(ReplayMemory memory, AtomicReference<Throwable> failure) {
		RequestProtocol<NewMessage, SendReply> sends = sends(null);
		return new TestSender(new RequestProtocol<>(sends.settings(), sends.bytes(), sends.open(),
				(lane, seq, renews, messages, attempt) -> {
					Throwable thrown = failure.getAndSet(null);
					return (thrown != null) ? CompletableFuture.failedFuture(thrown)
							: sends.run().run(lane, seq, renews, messages, attempt);
				}, sends.check()), memory);
	}

	private RequestProtocol<NewMessage, SendReply> sends(@Nullable LengthLimit limit) {
		return this.queue.store.sends().protocol(this.queue.name, new SendScripts.Terms(1_000, limit, null));
	}

	private TestSender batcher(Predicate<SendRequest> passes) {
		return batcher(passes, null);
	}

	private TestSender batcher(Predicate<SendRequest> passes, @Nullable LengthLimit limit) {
		return batcher(passes, limit, SenderMemory.RENEWAL, SenderMemory.RECOGNISED);
	}

	private TestSender batcher(Predicate<SendRequest> passes, @Nullable LengthLimit limit, Duration renewal,
			Duration recognised) {
		RequestProtocol<NewMessage, SendReply> sends = sends(limit);
		RequestProtocol.Settings settings = new RequestProtocol.Settings(this.queue.name, Rollback.Lane.SENDER, 1_000,
				1_000, renewal, recognised);
		return new TestSender(
				new RequestProtocol<>(settings, sends.bytes(), sends.open(), (lane, seq, renews, messages, attempt) -> {
					SendRequest request = new SendRequest(lane, seq, renews, messages, limit, attempt.holdBack(),
							attempt.wasAnswered(), null, null);
					this.onTheirWay.add(request);
					this.most.accumulateAndGet(this.onTheirWay.size(), Math::max);
					if (!passes.test(request)) {
						this.onTheirWay.remove(request);
						return CompletableFuture.failedFuture(new StoreException("failed on purpose", null));
					}
					return sends.run()
						.run(lane, seq, renews, messages, attempt)
						.whenComplete((sent, failure) -> this.onTheirWay.remove(request));
				}, sends.check()), ReplayMemory.NONE);
	}

	private static QueueScripts scripts(ReplayMemory memory, TestScripts.Fault fault) {
		return TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(5), timer, memory, fault);
	}

	private boolean isOrdered(SendRequest request) {
		return request.messages()
			.stream()
			.anyMatch((message) -> new String(message.envelope(), StandardCharsets.UTF_8).contains("ordered-"));
	}

	/**
	 * Has all threads send.
	 */
	private void share(IntConsumer send) throws Exception {
		AtomicInteger next = new AtomicInteger();
		List<Future<?>> senders = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			senders.add(this.threads.submit(() -> {
				for (int number = next.getAndIncrement(); number < THREADS * EACH; number = next.getAndIncrement()) {
					send.accept(number);
				}
			}));
		}
		for (Future<?> sender : senders) {
			sender.get(1, TimeUnit.MINUTES);
		}
	}

	/**
	 * What is in the queue, the next one first.
	 */
	private List<String> payloads() {
		TestQueue.Consumer consumer = this.queue.consumer();
		List<String> payloads = new ArrayList<>();
		for (ClaimReply reply = consumer.claim(1_000); !reply.messages().isEmpty(); reply = consumer.claim(1_000)) {
			reply.messages().forEach((message) -> payloads.add(TestQueue.payload(message)));
		}
		return payloads;
	}

}
