package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.listener.QueueGates;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import io.redelay.test.redis.TcpFaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Staged changes of queues, looked at every two seconds from ten seconds after the change
 * on: each look is right, not only one of them. The long form looks on until the change
 * is over.
 */
class DiagnosisTransitionsIntegrationTests {

	private static final Duration LONGEST = Duration.ofSeconds(180);

	private static final Duration FIRST = Duration.ofSeconds(10);

	private static final Duration EVERY = Duration.ofSeconds(2);

	private static final int FEWEST = Extent.of(4, 12);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theOnlyConsumerIsKilled() {
		Duration lease = Duration.ofSeconds(Extent.of(22, 30));
		Waiting waiting = new Waiting();
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient direct = TestRedis.connect(server.uri());
			RedissonClient cut = TestRedis.connect(proxy.uri());
			try (ListenerApplication killed = ListenerApplication.on(cut)
				.with("queue", this.queue)
				.with("redelay.queue.listener.lease-time", lease.toSeconds() + "s")
				.bean(waiting)
				.start(); ListenerApplication watching = ListenerApplication.on(direct).start()) {
				send(watching, 40);
				await(watching, (each) -> each.figures().inFlight() > 0);
				proxy.refuseConnections();
				proxy.dropConnections();
				Instant cutAt = diagnose(watching).time();
				List<QueueDiagnosis> looks = look(watching, (each) -> each.kind() == Kind.NO_CONSUMER,
						(each, before) -> {
							if (each.kind() == Kind.CONSUMER_SILENT) {
								assertThat(before).isNotEqualTo(Kind.NO_CONSUMER);
								assertThat(each.findings().get(0).text()).contains("in hand can be taken over in",
										"no other instance listens");
							}
							else {
								assertThat(each.kind()).isEqualTo(Kind.NO_CONSUMER);
								// Each renewal counts from its own time.
								assertThat(Duration.between(cutAt, each.time())).isGreaterThan(lease.minusSeconds(12));
							}
							assertThat(each.status()).isEqualTo(QueueStatus.STOPPED);
							assertThat(each.figures().timeToDrain()).isNull();
						});
				assertThat(looks.get(0).kind()).isEqualTo(Kind.CONSUMER_SILENT);
				waiting.done.countDown();
				proxy.acceptConnections();
			}
			finally {
				direct.shutdown();
				cut.shutdown();
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBurstComesAndDrains() {
		try (ListenerApplication application = start(new DiagnosisCausesIntegrationTests.Brisk())) {
			send(application, 50);
			await(application, (each) -> each.figures().servicePerSecond() != null && each.figures().ready() == 0);
			send(application, Extent.of(7000, 20_000));
			look(application, (each) -> each.figures().ready() == 0, (each, before) -> {
				assertThat(each.kind()).isEqualTo((each.figures().ready() > 0) ? Kind.CATCHING_UP : Kind.KEEPING_UP);
				if (each.kind() == Kind.CATCHING_UP) {
					assertThat(each.summary()).contains("done in");
				}
			});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anotherQueueOfTheListenerHoldsAllHandlers() {
		Waiting waiting = new Waiting();
		String other = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("other", other)
			.bean(new Both(waiting))
			.start()) {
			IntStream.range(0, 30).forEach((i) -> application.queues().send(other, "holds"));
			Awaitility.await().atMost(LONGEST).until(() -> waiting.begun.getCount() == 0);
			send(application, 10);
			look(application, (each) -> true, (each, before) -> {
				assertThat(each.kind()).isEqualTo(Kind.OTHER_QUEUE_BUSY);
				assertThat(each.findings().get(0).text()).contains("'" + other + "'");
				assertThat(each.figures().consumers()).isOne();
				assertThat(application.bean(QueueAdmin.class).queues().consumers(this.queue)).singleElement()
					.satisfies((consumer) -> assertThat(consumer.listeners()).containsExactly("both"));
				assertThat(each.findings()).extracting(QueueFinding::kind)
					.doesNotContain(Kind.NO_CONSUMER, Kind.SLOW_HANDLER);
			});
			waiting.done.countDown();
			await(application, (each) -> each.kind() == Kind.KEEPING_UP);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGateIsClosedAndOpensAtAKnownTime() {
		try (ListenerApplication application = start(new DiagnosisCausesIntegrationTests.Quick())) {
			send(application, 20);
			await(application, (each) -> each.figures().servicePerSecond() != null && each.figures().ready() == 0);
			application.bean(QueueGates.class).close(this.queue, Duration.ofSeconds(Extent.of(15, 40)));
			send(application, 200);
			Instant end = application.bean(QueueAdmin.class).queues().info(this.queue).gatedUntil();
			assertThat(end).isNotNull();
			look(application, (each) -> each.figures().ready() == 0, (each, before) -> {
				if (each.time().isBefore(end)) {
					assertThat(each.kind()).isEqualTo(Kind.GATED);
					assertThat(each.summary()).startsWith("Its gate is closed for another");
					assertThat(each.figures().timeToDrain()).isNull();
				}
				else {
					assertThat(each.kind()).isIn(Kind.CATCHING_UP, Kind.KEEPING_UP);
				}
			});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageOfLowPriorityWaitsBehindOthers() {
		try (ListenerApplication application = start(new Slow())) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().sendAll(IntStream.range(0, 20).mapToObj((i) -> urgent("first" + i)).toList());
			String last = application.queues().send(OutboundMessage.to(this.queue, "last").priority(0)).id();
			application.queues()
				.sendAll(IntStream.range(0, Extent.of(400, 800)).mapToObj((i) -> urgent("m" + i)).toList());
			Instant due = admin.messages().find(this.queue, last).orElseThrow().dueAt();
			look(application, (each) -> true, (each, before) -> {
				assertThat(each.figures().oldestReadyAge()).isCloseTo(Duration.between(due, each.time()),
						Duration.ofMillis(500));
				assertThat(admin.queues().info(this.queue).oldestReadyAge()).isGreaterThanOrEqualTo(FIRST);
				assertThat(each.kind()).isIn(Kind.SLOW_HANDLER, Kind.CATCHING_UP);
			});
		}
	}

	/**
	 * Looks, and on until that is over.
	 * @param check checks a look, given the kind of the one before
	 */
	private List<QueueDiagnosis> look(ListenerApplication application, Predicate<QueueDiagnosis> over,
			BiConsumer<QueueDiagnosis, Kind> check) {
		List<QueueDiagnosis> looks = new ArrayList<>();
		QueueSnapshots overview = application.bean(QueueSnapshots.class);
		Awaitility.await().atMost(LONGEST).pollDelay(FIRST).pollInterval(EVERY).until(() -> {
			QueueDiagnosis look = diagnose(application);
			check.accept(look, looks.isEmpty() ? look.kind() : looks.get(looks.size() - 1).kind());
			assertRight(look);
			assertRight(overview.latest().queues().get(this.queue).diagnosis());
			looks.add(look);
			return looks.size() >= FEWEST && over.test(look);
		});
		return looks;
	}

	private static void assertRight(QueueDiagnosis look) {
		assertThat(look.summary()).doesNotContain("explains", "never done", "by 1 times");
		assertThat(look.findings()).extracting(QueueFinding::kind).doesNotContain(Kind.UNEXPLAINED);
	}

	private OutboundMessage urgent(String payload) {
		return OutboundMessage.to(this.queue, payload).priority(9);
	}

	private void await(ListenerApplication application, Predicate<QueueDiagnosis> condition) {
		Awaitility.await()
			.atMost(LONGEST)
			.pollInterval(Duration.ofMillis(100))
			.until(() -> diagnose(application), condition);
	}

	private QueueDiagnosis diagnose(ListenerApplication application) {
		return application.bean(QueueAdmin.class).queues().diagnose(this.queue);
	}

	private void send(ListenerApplication application, int count) {
		application.queues()
			.sendAll(IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
	}

	private ListenerApplication start(Object listener) {
		return ListenerApplication.on(redis).with("queue", this.queue).bean(listener).start();
	}

	static class Slow {

		private final CountDownLatch never = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", id = "slow", concurrency = "4")
		void handle(String payload) throws InterruptedException {
			assertThat(this.never.await(250, TimeUnit.MILLISECONDS)).isFalse();
		}

	}

	static class Waiting {

		final CountDownLatch begun = new CountDownLatch(2);

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", id = "waiting", concurrency = "2")
		void handle(String payload) throws InterruptedException {
			this.begun.countDown();
			this.done.await();
		}

	}

	static class Both {

		private final Waiting waiting;

		Both(Waiting waiting) {
			this.waiting = waiting;
		}

		@QueueListener(queues = { "${other}", "${queue}" }, id = "both", concurrency = "2")
		void handle(String payload) throws InterruptedException {
			this.waiting.handle(payload);
		}

	}

}
