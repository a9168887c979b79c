package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.LaneScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the causes that {@link QueueDiagnosisIntegrationTests} leaves: limits that
 * queues share, limits and gates of fairness keys, retries, a backlog that shrinks, and
 * limits that explain nothing.
 */
class DiagnosisCausesIntegrationTests {

	private static final Duration LONGEST = Duration.ofSeconds(120);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatTheQueueIsClosedBehindAllElse() {
		try (ListenerApplication application = start()) {
			send(application, 2);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			admin.control().close(this.queue);
			QueueDiagnosis diagnosis = diagnose(application);
			assertThat(diagnosis.findings()).extracting(QueueFinding::kind)
				.containsExactly(Kind.NO_CONSUMER, Kind.CLOSED);
			assertThat(finding(diagnosis, Kind.CLOSED).severity()).isEqualTo(Severity.WARNING);
			admin.control().reopen(this.queue);
			assertThat(diagnose(application).has(Kind.CLOSED)).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatPackedMessagesAreDueAndThatTheyAreNotOnceTheyCameNear() {
		try (ListenerApplication application = start()) {
			application.queues()
				.sendAll(IntStream.range(0, 3)
					.mapToObj((i) -> OutboundMessage.to(this.queue, i).delay(Duration.ofDays(1)))
					.toList());
			FarScript far = application.bean(AdminScripts.class).far();
			List<PackedMessages.Entry> found = far.look(this.queue, null, Duration.ofHours(1)).join().messages();
			assertThat(far.pack(this.queue, found, Duration.ofMinutes(30)).join()).isPositive();
			assertThat(diagnose(application).has(Kind.PACKED_LATE)).isFalse();
			assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).packed()).isEqualTo(3);
			String chunk = far.chunks(this.queue, false, 1, null, null).join().chunks().get(0).number();
			redis.client()
				.getScoredSortedSet("redelay:{" + this.queue + "}:far", StringCodec.INSTANCE)
				.add(System.currentTimeMillis() - 60_000, chunk);
			QueueFinding finding = finding(diagnose(application), Kind.PACKED_LATE);
			assertThat(finding.headline()).contains("have been due for 1 min");
			far.thaw(this.queue, far.chunks(this.queue, true, 1, null, null).join().chunks().get(0)).join();
			assertThat(diagnose(application).has(Kind.PACKED_LATE)).isFalse();
			assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).packed()).isZero();
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatTheGatesOfFairnessKeysAreClosed() {
		try (ListenerApplication application = start(new Quick())) {
			sendKeyed(application, 1, 1);
			await(application, (each) -> each.kind() == Kind.KEEPING_UP && each.figures().ready() == 0
					&& each.figures().inFlight() == 0);
			application.bean(QueueGates.class).close(this.queue, "key-0", Duration.ofMinutes(10));
			assertThat(diagnose(application).kind()).as("nothing waits for it").isEqualTo(Kind.KEEPING_UP);
			assertThat(diagnose(application).has(Kind.GATED)).isTrue();
			sendKeyed(application, 60, 3);
			QueueDiagnosis diagnosis = await(application,
					(each) -> each.kind() == Kind.GATED && each.figures().ready() == 20);
			assertThat(first(diagnosis).figures()).containsEntry("closedKeys", 1L).containsEntry("waiting", 20L);
			assertThat(first(diagnosis).text()).contains("20 messages of theirs were passed over");
			assertThat(awaitBehind(application, Kind.GATED).findings().get(0).severity()).isEqualTo(Severity.CRITICAL);
			assertThat(diagnosis.has(Kind.RATE_LIMITED)).isFalse();
			assertThat(diagnosis.has(Kind.CONCURRENCY_LIMITED)).isFalse();
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatFairnessKeysHaveUsedUpTheirRate() {
		try (ListenerApplication application = start(new KeysAtARate())) {
			sendKeyed(application, 300, 3);
			// Each second each key has a moment in which it may be claimed.
			QueueDiagnosis diagnosis = await(application, (each) -> each.behind() && each.kind() == Kind.RATE_LIMITED
					&& first(each).headline().equals("3 fairness keys have used up the rate"));
			assertThat(first(diagnosis).text()).contains("1/1s");
			assertThat((Long) first(diagnosis).figures().get("waiting")).isPositive();
			assertThat(diagnosis.has(Kind.CONCURRENCY_LIMITED)).isFalse();
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatFairnessKeysMayHaveNoMoreInHand() {
		Hanging hanging = new Hanging();
		try (ListenerApplication application = start(hanging)) {
			sendKeyed(application, 40, 2);
			QueueDiagnosis diagnosis = await(application, (each) -> each.behind()
					&& each.kind() == Kind.CONCURRENCY_LIMITED && each.figures().inFlight() == 2);
			assertThat(first(diagnosis).headline()).isEqualTo("2 fairness keys may have no more in hand");
			assertThat(first(diagnosis).figures()).containsEntry("keyMaxInFlight", 1).containsEntry("waiting", 38L);
			hanging.done.countDown();
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatARateThatQueuesShareIsUsedUp() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("redelay.queue.limits." + this.queue + ".rate", "2/1s")
			.with("redelay.queue.queues." + this.queue + ".shared-limit", this.queue)
			.bean(new Quick())
			.start()) {
			send(application, 300);
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.RATE_LIMITED);
			assertThat(first(diagnosis).text()).contains("the limit '" + this.queue + "' allows 2 a second (2/1s)");
			assertThat(first(diagnosis).severity()).isEqualTo(Severity.CRITICAL);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatAnotherQueueHasThePlacesThatTheyShare() {
		Hanging hanging = new Hanging();
		String other = TestRedis.queue();
		ListenerApplication.Builder sharing = ListenerApplication.on(redis)
			.with("redelay.queue.limits." + this.queue + ".max-in-flight", "1")
			.with("redelay.queue.listener.shared-limit", this.queue);
		try (ListenerApplication greedy = sharing.with("queue", other).bean(hanging).start()) {
			greedy.queues().send(other, "hangs");
			Awaitility.await()
				.atMost(LONGEST)
				.until(() -> greedy.bean(QueueAdmin.class).queues().info(other).inFlight() == 1);
			try (ListenerApplication application = ListenerApplication.on(redis)
				.with("redelay.queue.limits." + this.queue + ".max-in-flight", "1")
				.with("redelay.queue.listener.shared-limit", this.queue)
				.with("queue", this.queue)
				.bean(new Quick())
				.start()) {
				send(application, 10);
				QueueDiagnosis diagnosis = awaitBehind(application, Kind.CONCURRENCY_LIMITED);
				assertThat(first(diagnosis).text()).contains("the limit '" + this.queue + "'", "0 of this one are");
				assertThat(first(diagnosis).severity()).isEqualTo(Severity.CRITICAL);
				hanging.done.countDown();
				awaitKind(application, Kind.KEEPING_UP);
			}
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void limitsThatHinderNothingAreNotReported() {
		try (ListenerApplication application = start(new GenerouslyLimited())) {
			application.queues()
				.sendAll(IntStream.range(0, 400)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).orderingKey("customer"))
					.toList());
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.KEYS_IN_TURN);
			assertThat(diagnosis.has(Kind.RATE_LIMITED)).isFalse();
			assertThat(diagnosis.has(Kind.CONCURRENCY_LIMITED)).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatManyWaitForAnotherAttempt() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("redelay.queue.listener.backoff.initial-interval", "10m")
			.bean(new Failing())
			.start()) {
			send(application, 30);
			QueueDiagnosis diagnosis = await(application,
					(each) -> each.has(Kind.RETRY_BACKLOG) && each.figures().retrying() == 30);
			assertThat(finding(diagnosis, Kind.RETRY_BACKLOG).figures()).containsEntry("messages", 30L);
			assertThat(await(application, (each) -> each.has(Kind.FAILING)).kind()).isEqualTo(Kind.FAILING);
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatABacklogIsCaughtUpWith() {
		try (ListenerApplication sender = start()) {
			send(sender, 4000);
			Awaitility.await()
				.atMost(LONGEST)
				.until(() -> diagnose(sender).figures().oldestReadyAge().toSeconds() >= 5);
			try (ListenerApplication application = start(new Brisk())) {
				QueueDiagnosis diagnosis = awaitBehind(application, Kind.CATCHING_UP);
				assertThat(first(diagnosis).severity()).isEqualTo(Severity.INFO);
				assertThat(diagnosis.summary()).contains("done in");
				awaitKind(application, Kind.KEEPING_UP);
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void saysSoIfNothingExplainsIt() {
		try (ListenerApplication application = start()) {
			send(application, 3);
			QueueScripts store = application.bean(QueueScripts.class);
			new LaneScript(store).open(this.queue, store.newLane(), Duration.ofMinutes(5), 0).join();
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.UNEXPLAINED);
			assertThat(diagnosis.figures().consumers()).isOne();
			assertThat(first(diagnosis).mend()).contains("instances run that are older");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatSomeOfSeveralListenersAreStopped() {
		try (ListenerApplication one = start(new Slow()); ListenerApplication other = start(new Slow())) {
			Awaitility.await()
				.atMost(LONGEST)
				.until(() -> one.bean(QueueAdmin.class).queues().names().contains(this.queue));
			other.bean(QueueListeners.class).stop("slow").join();
			// Enough that handlers are too slow until the test has looked.
			send(one, 3000);
			QueueDiagnosis diagnosis = await(one,
					(each) -> each.behind() && each.has(Kind.CONSUMER_STOPPED) && each.has(Kind.SLOW_HANDLER));
			assertThat(diagnosis.status()).isEqualTo(QueueStatus.BEHIND);
			assertThat(finding(diagnosis, Kind.CONSUMER_STOPPED).figures()).containsEntry("stopped", 1)
				.containsEntry("listeners", 2);
			assertThat(diagnosis.figures().concurrency()).isEqualTo(4);
		}
	}

	@Test
	void reportsThatRedisDoesNotAnswerAListener() {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient direct = TestRedis.connect(server.uri());
			RedissonClient delayed = TestRedis.connect(proxy.uri());
			try (ListenerApplication far = ListenerApplication.on(delayed)
				.with("queue", this.queue)
				.bean(new Quick())
				.start(); ListenerApplication near = ListenerApplication.on(direct).start()) {
				// Much longer than the second after which a claim is reported:
				// announcements
				// in step with claims meet it all the same.
				proxy.delay(TcpFaultProxy.Direction.TO_CLIENT, Duration.ofSeconds(8));
				QueueDiagnosis diagnosis = Awaitility.await().atMost(LONGEST).until(() -> {
					near.queues().send(this.queue, "more");
					return diagnose(near);
				}, (each) -> each.has(Kind.REDIS_SLOW)
						&& finding(each, Kind.REDIS_SLOW).figures().containsKey("unanswered"));
				assertThat(finding(diagnosis, Kind.REDIS_SLOW).headline())
					.isEqualTo("Redis does not answer 1 listener");
				assertThat(finding(diagnosis, Kind.REDIS_SLOW).text()).contains("'quick'");
				proxy.delay(TcpFaultProxy.Direction.TO_CLIENT, Duration.ZERO);
			}
			finally {
				direct.shutdown();
				delayed.shutdown();
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSentForLaterAfterAnIdleTimeDoesNotArrive() {
		try (ListenerApplication application = start(new Quick())) {
			application.queues()
				.sendAll(IntStream.range(0, 500)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).delay(Duration.ofHours(1)))
					.toList());
			send(application, 20);
			QueueDiagnosis diagnosis = await(application, (each) -> each.figures().servicePerSecond() != null
					&& each.figures().servicePerSecond() > 0 && each.figures().scheduled() == 500);
			assertThat(Stream.ofNullable(diagnosis.figures().arrivalPerSecond()))
				.as("20 of 520, over five seconds at least, or none")
				.allMatch((arrivals) -> arrivals <= 4);
		}
	}

	private QueueDiagnosis awaitBehind(ListenerApplication application, Kind kind) {
		return await(application, (diagnosis) -> diagnosis.behind() && diagnosis.kind() == kind);
	}

	private void awaitKind(ListenerApplication application, Kind kind) {
		await(application, (diagnosis) -> diagnosis.kind() == kind);
	}

	private QueueDiagnosis await(ListenerApplication application, Predicate<QueueDiagnosis> condition) {
		return Awaitility.await()
			.atMost(LONGEST)
			.pollInterval(Duration.ofMillis(100))
			.until(() -> diagnose(application), condition);
	}

	private QueueDiagnosis diagnose(ListenerApplication application) {
		return application.bean(QueueAdmin.class).queues().diagnose(this.queue);
	}

	private static QueueFinding first(QueueDiagnosis diagnosis) {
		return diagnosis.findings().get(0);
	}

	private static QueueFinding finding(QueueDiagnosis diagnosis, Kind kind) {
		return diagnosis.findings().stream().filter((each) -> each.kind() == kind).findFirst().orElseThrow();
	}

	private void send(ListenerApplication application, int count) {
		application.queues()
			.sendAll(IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
	}

	private void sendKeyed(ListenerApplication application, int count, int keys) {
		application.queues()
			.sendAll(IntStream.range(0, count)
				.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).fairnessKey("key-" + i % keys))
				.toList());
	}

	private ListenerApplication start(Object... listeners) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis).with("queue", this.queue);
		List.of(listeners).forEach(builder::bean);
		return builder.start();
	}

	static class Quick {

		@QueueListener(queues = "${queue}", id = "quick", concurrency = "4")
		void handle(String payload) {
		}

	}

	static class Brisk {

		@QueueListener(queues = "${queue}", id = "brisk", concurrency = "2")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(5);
		}

	}

	static class Slow {

		@QueueListener(queues = "${queue}", id = "slow", concurrency = "4")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(500);
		}

	}

	static class KeysAtARate {

		@QueueListener(queues = "${queue}", concurrency = "4", keyRateLimit = "1/1s")
		void handle(String payload) {
		}

	}

	static class Hanging {

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "4", keyMaxInFlight = "1")
		void handle(String payload) throws InterruptedException {
			this.done.await();
		}

	}

	static class GenerouslyLimited {

		@QueueListener(queues = "${queue}", concurrency = "4", rateLimit = "8/1s", maxInFlight = "4",
				keyRateLimit = "9/1s", keyMaxInFlight = "4")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(250);
		}

	}

	static class Failing {

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String payload) {
			throw new IllegalStateException("not today");
		}

	}

}
