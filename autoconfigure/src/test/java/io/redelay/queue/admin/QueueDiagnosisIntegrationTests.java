package io.redelay.queue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.listener.QueueGate;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.listener.QueueListeners;
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

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.data.Percentage.withPercentage;

/**
 * Tests for what is said of queues that are behind, each with listeners that are.
 */
class QueueDiagnosisIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatThereIsNoListener() {
		try (ListenerApplication application = start()) {
			send(application, 3);
			QueueDiagnosis diagnosis = diagnose(application);
			assertThat(diagnosis.kind()).isEqualTo(Kind.NO_CONSUMER);
			assertThat(diagnosis.status()).isEqualTo(QueueStatus.STOPPED);
			assertThat(diagnosis.behind()).isTrue();
			assertThat(first(diagnosis).severity()).isEqualTo(Severity.CRITICAL);
			assertThat(first(diagnosis).figures()).containsEntry("ready", 3L);
			assertThat(diagnosis.figures().consumers()).isZero();
			assertThat(diagnosis.summary()).startsWith("No listener consumes it; 3 messages wait");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsAtOnceThatAListenerWasStopped() {
		try (ListenerApplication application = start(new Quick())) {
			send(application, 1);
			awaitDone(application);
			QueueListeners listeners = application.bean(QueueListeners.class);
			listeners.stop("quick").join();
			send(application, 2);
			QueueDiagnosis diagnosis = await(application, Kind.CONSUMER_STOPPED);
			assertThat(diagnosis.status()).isEqualTo(QueueStatus.STOPPED);
			assertThat(first(diagnosis).severity()).isEqualTo(Severity.CRITICAL);
			assertThat(first(diagnosis).text()).contains("'quick'", "stopped", "2 messages wait");
			listeners.start("quick");
			await(application, Kind.KEEPING_UP);
			listeners.pause("quick");
			assertThat(first(await(application, Kind.CONSUMER_STOPPED)).text()).contains("paused");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatTheQueueIsPaused() {
		try (ListenerApplication application = start(new Quick())) {
			send(application, 1);
			awaitDone(application);
			application.bean(QueueAdmin.class).control().pause(this.queue);
			assertThat(diagnose(application).kind()).isEqualTo(Kind.PAUSED);
			assertThat(diagnose(application).behind()).as("nothing waits").isFalse();
			send(application, 5);
			QueueDiagnosis diagnosis = diagnose(application);
			assertThat(diagnosis.behind()).isTrue();
			assertThat(diagnosis.status()).isEqualTo(QueueStatus.STOPPED);
			assertThat(first(diagnosis).text()).contains("5 messages wait");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatAGateIsClosed() {
		try (ListenerApplication application = start(new Quick())) {
			Awaitility.await().until(() -> application.bean(QueueAdmin.class).queues().names().contains(this.queue));
			application.bean(QueueGates.class).close(this.queue, Duration.ofMinutes(10));
			send(application, 3);
			QueueDiagnosis diagnosis = diagnose(application);
			assertThat(diagnosis.kind()).isEqualTo(Kind.GATED);
			assertThat(first(diagnosis).text()).contains("closed", "3 messages wait");
			assertThat(diagnosis.status()).isEqualTo(QueueStatus.STOPPED);
			application.bean(QueueGates.class).open(this.queue);
			await(application, Kind.KEEPING_UP);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatTheGateOfAnInstanceIsClosed() {
		try (ListenerApplication application = start(new Quick(), new ClosedGate())) {
			send(application, 3);
			QueueDiagnosis diagnosis = await(application, Kind.GATED);
			assertThat(first(diagnosis).text()).contains("A QueueGate is closed in 1 of 1 listener", "'quick'");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatARateLimitAllowsNoMore() {
		try (ListenerApplication application = start(new RateLimited())) {
			send(application, 300);
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.RATE_LIMITED);
			assertThat(first(diagnosis).severity()).isEqualTo(Severity.CRITICAL);
			assertThat(first(diagnosis).text()).contains("2/1s", "2 a second");
			assertThat((Double) first(diagnosis).figures().get("neededPerSecond")).isGreaterThan(2);
			assertThat(diagnosis.has(Kind.SLOW_HANDLER)).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatAsManyAreInHandAsMayBe() {
		try (ListenerApplication application = start(new OneInFlight())) {
			send(application, 1000);
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.CONCURRENCY_LIMITED);
			assertThat(first(diagnosis).figures()).containsEntry("maxInFlight", 1).containsEntry("inFlight", 1L);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatMessagesWaitForTheTurnOfTheirKey() {
		try (ListenerApplication application = start(new Slow())) {
			application.queues()
				.sendAll(IntStream.range(0, 1000)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).orderingKey("customer"))
					.toList());
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.KEYS_IN_TURN);
			assertThat(first(diagnosis).figures()).containsEntry("keysInTurn", 1L);
			assertThat((Long) first(diagnosis).figures().get("waitingForTurn")).isGreaterThan(20);
			assertThat(diagnosis.has(Kind.SLOW_HANDLER)).as("three handlers have nothing to do").isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatHandlersWaitForALock() {
		try (ListenerApplication application = start(Locking.class, new WaitingForLock())) {
			send(application, 1000);
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.LOCKED);
			assertThat(first(diagnosis).text()).contains("for a lock", "diagnosis:" + this.queue);
			assertThat((Integer) first(diagnosis).figures().get("waiting")).isPositive();
			QueueDiagnosis counted = Awaitility.await()
				.until(() -> diagnose(application), (each) -> each.kind() == Kind.LOCKED
						&& (Double) first(each).figures().get("waitedShare") > 0.5);
			assertThat(first(counted).text()).contains("more handlers would wait as well");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatHandlersGiveBackForWantOfALock() {
		try (ListenerApplication application = start(Locking.class, new SkippingLocked())) {
			send(application, 100);
			QueueDiagnosis diagnosis = Awaitility.await()
				.until(() -> diagnose(application), (each) -> each.has(Kind.LOCKED)
						&& (Long) finding(each, Kind.LOCKED).figures().get("refusals") > 2);
			QueueFinding finding = finding(diagnosis, Kind.LOCKED);
			assertThat(finding.text()).contains("because a lock was not to be had");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsByHowMuchHandlersAreTooSlow() {
		try (ListenerApplication application = start(new Slow())) {
			send(application, 2000);
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.SLOW_HANDLER);
			assertThat((Long) first(diagnosis).figures().get("meanHandlingMillis")).isGreaterThanOrEqualTo(200);
			double capacity = (Double) first(diagnosis).figures().get("capacityPerSecond");
			double needed = (Double) first(diagnosis).figures().get("neededPerSecond");
			assertThat(capacity).isLessThanOrEqualTo(20);
			assertThat((Double) first(diagnosis).figures().get("tooSlowBy")).isCloseTo(needed / capacity,
					withPercentage(15));
			assertThat(diagnosis.figures().busy()).isBetween(1, 4);
			assertThat(diagnosis.figures().concurrency()).isEqualTo(4);
			assertThat(diagnosis.figures().timeToDrain()).as("it is not known yet how many come").isNull();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatAHandlerHangs() {
		Hanging hanging = new Hanging();
		try (ListenerApplication application = start(hanging)) {
			send(application, 3);
			QueueDiagnosis diagnosis = awaitBehind(application, Kind.ALL_HANDLERS_BUSY);
			assertThat(first(diagnosis).text()).contains("1 of 1 handler is busy, and none has finished lately");
			hanging.done.countDown();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatAHandlerFailsAndOfWhatMostly() {
		try (ListenerApplication application = start(new Failing())) {
			send(application, 40);
			QueueDiagnosis diagnosis = Awaitility.await()
				.until(() -> diagnose(application), (each) -> each.has(Kind.DEAD_LETTERS) && each.has(Kind.FAILING)
						&& finding(each, Kind.FAILING).figures().get("topCount") instanceof Long count && count > 20);
			QueueFinding failing = finding(diagnosis, Kind.FAILING);
			assertThat(failing.headline()).contains("IllegalStateException: <script>the host is away");
			assertThat(failing.figures()).containsEntry("topCause", "java.lang.IllegalStateException");
			assertThat((Long) finding(diagnosis, Kind.DEAD_LETTERS).figures().get("dead")).isPositive();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsThatRedisIsSlow() {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient direct = TestRedis.connect(server.uri());
			RedissonClient delayed = TestRedis.connect(proxy.uri());
			try (ListenerApplication far = ListenerApplication.on(delayed)
				.with("queue", this.queue)
				.bean(new Quick())
				.start(); ListenerApplication near = ListenerApplication.on(direct).start()) {
				proxy.delay(TcpFaultProxy.Direction.TO_CLIENT, Duration.ofMillis(400));
				QueueDiagnosis diagnosis = Awaitility.await().until(() -> {
					send(near, 5);
					return diagnose(near);
				}, (each) -> each.has(Kind.REDIS_SLOW)
						&& finding(each, Kind.REDIS_SLOW).figures().get("claimMillis") instanceof Long);
				assertThat((Long) finding(diagnosis, Kind.REDIS_SLOW).figures().get("claimMillis"))
					.isGreaterThanOrEqualTo(100);
			}
			finally {
				direct.shutdown();
				delayed.shutdown();
			}
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aBusyQueueThatKeepsUpRaisesNoAlarm() {
		try (ListenerApplication application = start(new Brisk())) {
			List<QueueDiagnosis> seen = new ArrayList<>();
			AtomicInteger rounds = new AtomicInteger();
			send(application, 1);
			Awaitility.await().until(() -> diagnose(application).figures().concurrency() > 0);
			Awaitility.await().pollInterval(Duration.ofMillis(100)).until(() -> {
				send(application, 10);
				seen.add(diagnose(application));
				return rounds.incrementAndGet() >= 100;
			});
			await(application, Kind.KEEPING_UP);
			// A machine that stands still lets messages wait, and Redis answer late: what
			// is reported then is true.
			assertThat(seen).filteredOn((each) -> each.figures().oldestReadyAge().toMillis() < 500)
				.noneMatch(QueueDiagnosis::behind);
			assertThat(seen).filteredOn((each) -> each.figures().oldestReadyAge().toMillis() < 500)
				.flatExtracting(QueueDiagnosis::findings)
				.as("all findings of 100 looks")
				.filteredOn((finding) -> finding.kind() != Kind.REDIS_SLOW)
				.isNotEmpty()
				.allMatch((finding) -> finding.severity() == Severity.INFO);
			assertThat(seen.subList(20, 100)).filteredOn((each) -> each.figures().oldestReadyAge().toMillis() < 500)
				.filteredOn((each) -> !each.has(Kind.REDIS_SLOW))
				.extracting(QueueDiagnosis::kind)
				.containsOnly(Kind.KEEPING_UP);
			QueueFigures figures = seen.get(99).figures();
			assertThat(figures.arrivalPerSecond()).isPositive();
			assertThat(figures.servicePerSecond()).isPositive();
			assertThat(figures.meanHandling()).isGreaterThanOrEqualTo(Duration.ofMillis(5));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsTheMoreHinderingOfTwoCausesFirst() {
		try (ListenerApplication application = start(new RateLimitedAndFailing())) {
			send(application, 300);
			QueueDiagnosis diagnosis = Awaitility.await()
				.until(() -> diagnose(application),
						(each) -> each.behind() && each.has(Kind.FAILING) && each.kind() == Kind.RATE_LIMITED);
			assertThat(diagnosis.findings()).as("a third of the attempts fail, and nine of ten have to wait")
				.extracting(QueueFinding::kind)
				.containsSubsequence(Kind.RATE_LIMITED, Kind.FAILING);
			application.bean(QueueAdmin.class).control().pause(this.queue);
			assertThat(diagnose(application).kind()).isEqualTo(Kind.PAUSED);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void addsUpPartitions() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".partitions", 3)
			.start()) {
			IntStream.range(0, 30)
				.forEach(
						(i) -> application.queues().send(OutboundMessage.to(this.queue, "m" + i).orderingKey("k" + i)));
			QueueDiagnosis diagnosis = diagnose(application);
			assertThat(diagnosis.kind()).isEqualTo(Kind.NO_CONSUMER);
			assertThat(diagnosis.figures().ready()).isEqualTo(30);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsAGroupOfATopic() {
		try (ListenerApplication application = start(new Grouped())) {
			application.bean(QueueListeners.class).stop("grouped").join();
			application.queues().publish(this.queue, "published");
			QueueDiagnosis diagnosis = application.bean(QueueAdmin.class).queues().diagnose(this.queue + "@mail");
			assertThat(diagnosis.kind()).isEqualTo(Kind.CONSUMER_STOPPED);
			assertThat(diagnosis.figures().ready()).isOne();
		}
	}

	@Test
	void anUnknownQueueIsRefused() {
		try (ListenerApplication application = start()) {
			assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> diagnose(application));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDiagnosisCostsFewCommands() {
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri());
			try (ListenerApplication application = ListenerApplication.on(client).start()) {
				send(application, 1000);
				diagnose(application);
				// Once more if something else was written meanwhile, such as what was
				// counted.
				Awaitility.await().untilAsserted(() -> {
					server.command("CONFIG", "RESETSTAT");
					diagnose(application);
					Matcher scripts = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)")
						.matcher(String.valueOf(server.command("INFO", "commandstats")));
					int calls = scripts.results().mapToInt((each) -> Integer.parseInt(each.group(1))).sum();
					assertThat(calls).isBetween(2, 6);
				});
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static QueueFinding finding(QueueDiagnosis diagnosis, Kind kind) {
		return diagnosis.findings().stream().filter((each) -> each.kind() == kind).findFirst().orElseThrow();
	}

	private QueueDiagnosis awaitBehind(ListenerApplication application, Kind kind) {
		return Awaitility.await()
			.until(() -> diagnose(application), (diagnosis) -> diagnosis.behind() && diagnosis.kind() == kind);
	}

	private static QueueFinding first(QueueDiagnosis diagnosis) {
		return diagnosis.findings().get(0);
	}

	private QueueDiagnosis diagnose(ListenerApplication application) {
		return application.bean(QueueAdmin.class).queues().diagnose(this.queue);
	}

	private QueueDiagnosis await(ListenerApplication application, Kind kind) {
		return Awaitility.await().until(() -> diagnose(application), (diagnosis) -> diagnosis.kind() == kind);
	}

	private void awaitDone(ListenerApplication application) {
		Awaitility.await().until(() -> {
			QueueInfo info = application.bean(QueueAdmin.class).queues().info(this.queue);
			return info.ready() + info.inFlight() + info.scheduled() == 0;
		});
		await(application, Kind.KEEPING_UP);
	}

	private void send(ListenerApplication application, int count) {
		application.queues()
			.sendAll(IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
	}

	private ListenerApplication start(Object... listeners) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis).with("queue", this.queue);
		for (Object each : listeners) {
			if (each instanceof Class<?> type) {
				builder.beans(type);
			}
			else {
				builder.bean(each);
			}
		}
		return builder.start();
	}

	static class Quick {

		@QueueListener(queues = "${queue}", id = "quick")
		void handle(String payload) {
		}

	}

	static class ClosedGate implements QueueGate {

		@Override
		public boolean isOpen(String listener, String queue) {
			return false;
		}

	}

	static class RateLimited {

		@QueueListener(queues = "${queue}", concurrency = "4", rateLimit = "2/1s")
		void handle(String payload) {
		}

	}

	static class RateLimitedAndFailing {

		private final AtomicInteger attempts = new AtomicInteger();

		@QueueListener(queues = "${queue}", concurrency = "4", rateLimit = "2/1s")
		void handle(String payload) {
			if (this.attempts.incrementAndGet() % 3 == 0) {
				throw new IllegalStateException("each third");
			}
		}

	}

	static class OneInFlight {

		@QueueListener(queues = "${queue}", concurrency = "4", maxInFlight = "1")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(200);
		}

	}

	static class Slow {

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(200);
		}

	}

	static class Brisk {

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(5);
		}

	}

	static class Hanging {

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "1")
		void handle(String payload) throws InterruptedException {
			this.done.await();
		}

	}

	static class Failing {

		@QueueListener(queues = "${queue}", maxAttempts = "2")
		void handle(String payload) {
			if (payload.endsWith("9")) {
				throw new IllegalArgumentException("something else");
			}
			throw new IllegalStateException("<script>the host is away");
		}

	}

	static class WaitingForLock {

		@QueueListener(queues = "${queue}", concurrency = "4")
		@MyLock(name = "diagnosis:${queue}", lockStrategy = MyLockStrategy.KEEP_TRYING)
		public void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(300);
		}

	}

	static class SkippingLocked {

		@QueueListener(queues = "${queue}", concurrency = "4")
		@MyLock(name = "diagnosis:${queue}", lockStrategy = MyLockStrategy.SKIP_FAST)
		public void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(300);
		}

	}

	static class Grouped {

		@QueueListener(topic = "${queue}", group = "mail", id = "grouped")
		void handle(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Locking {

	}

}
