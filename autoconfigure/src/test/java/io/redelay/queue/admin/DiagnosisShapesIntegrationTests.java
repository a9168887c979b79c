package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is said of queues that are more than one listener and one kind of
 * messages, and of queues in trouble whose plainest sign is not the cause.
 */
@Tag("full")
class DiagnosisShapesIntegrationTests {

	private static final Duration LONGEST = Duration.ofSeconds(120);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneOfSeveralPayloadTypesFails() {
		try (ListenerApplication application = start(new SeveralTypes())) {
			application.queues()
				.sendAll(IntStream.range(0, 40)
					.mapToObj((i) -> OutboundMessage
						.to(this.queue, (i % 2 == 0) ? new Placed("o" + i) : new Billed("o" + i))
						.maxAttempts(1))
					.toList());
			QueueDiagnosis diagnosis = await(application, this.queue,
					(each) -> each.has(Kind.FAILING) && each.figures().dead() == 20);
			QueueFinding failing = finding(diagnosis, Kind.FAILING);
			assertThat(failing.figures()).containsEntry("topCause", "java.lang.IllegalStateException");
			assertThat((Double) failing.figures().get("failedShare")).isBetween(0.3, 0.9);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneOfSeveralListenersIsLimitedAndAnotherOneIsPaused() {
		try (ListenerApplication limited = start(new Limited()); ListenerApplication paused = start(new Quick())) {
			Awaitility.await()
				.atMost(LONGEST)
				.until(() -> limited.bean(QueueAdmin.class).queues().names().contains(this.queue));
			paused.bean(QueueListeners.class).pause("quick");
			await(limited, this.queue, (each) -> each.has(Kind.CONSUMER_STOPPED));
			send(limited, 300);
			QueueDiagnosis diagnosis = await(limited, this.queue,
					(each) -> each.behind() && each.has(Kind.RATE_LIMITED) && each.has(Kind.CONSUMER_STOPPED));
			assertThat(finding(diagnosis, Kind.RATE_LIMITED).text()).contains("1/1s");
			assertThat(finding(diagnosis, Kind.CONSUMER_STOPPED).text()).contains("'quick'");
			assertThat(diagnosis.status()).isEqualTo(QueueStatus.BEHIND);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneOfTheGroupsOfATopicFails() {
		try (ListenerApplication application = start(new Groups())) {
			for (int i = 0; i < 20; i++) {
				application.queues().publish(this.queue, "event " + i);
			}
			assertThat(await(application, this.queue + "@mail", (each) -> each.kind() == Kind.FAILING).findings()
				.get(0)
				.text()).contains("the mail server is away");
			QueueDiagnosis audit = await(application, this.queue + "@audit", (each) -> each.kind() == Kind.KEEPING_UP
					&& each.figures().servicePerSecond() != null && each.figures().servicePerSecond() > 0);
			assertThat(audit.has(Kind.FAILING)).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneOfSeveralPartitionsIsStuck() {
		Hanging hanging = new Hanging();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".partitions", 3)
			.bean(hanging)
			.start()) {
			application.queues()
				.sendAll(IntStream.range(0, 50)
					.mapToObj((i) -> OutboundMessage.to(this.queue, (i == 0) ? "hang" : "m" + i).orderingKey("stuck"))
					.toList());
			application.queues()
				.sendAll(IntStream.range(0, 200)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).orderingKey("key-" + i))
					.toList());
			QueueDiagnosis diagnosis = await(application, this.queue,
					(each) -> each.behind() && each.figures().ready() == 49 && each.kind() == Kind.KEYS_IN_TURN);
			assertThat(diagnosis.findings().get(0).figures()).containsEntry("waitingForTurn", 49L)
				.containsEntry("keysInTurn", 1L);
			hanging.done.countDown();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void handlersThatFailSlowlyAreNotCalledTooSlow() {
		try (ListenerApplication application = start(new TimingOut())) {
			send(application, 2000);
			QueueDiagnosis diagnosis = await(application, this.queue,
					(each) -> each.behind() && each.has(Kind.FAILING) && each.has(Kind.SLOW_HANDLER));
			List<Kind> kinds = diagnosis.findings().stream().map(QueueFinding::kind).toList();
			assertThat(kinds.indexOf(Kind.FAILING)).as("more handlers would wait for the host in vain as well")
				.isLessThan(kinds.indexOf(Kind.SLOW_HANDLER));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatFailsAtTheHeadOfItsKeyIsFound() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("redelay.queue.listener.backoff.initial-interval", "10m")
			.bean(new FailingFirst())
			.start()) {
			application.queues()
				.sendAll(IntStream.range(0, 30)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).orderingKey("customer"))
					.toList());
			QueueDiagnosis diagnosis = await(application, this.queue,
					(each) -> each.behind() && each.kind() == Kind.KEYS_IN_TURN);
			assertThat(diagnosis.findings().get(0).mend()).contains("keeps failing at the head of its key");
			assertThat(diagnosis.figures().retrying()).isOne();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueThatGivesAllUpDoesNotKeepUp() {
		try (ListenerApplication application = start(new Rejecting())) {
			send(application, 30);
			QueueDiagnosis diagnosis = await(application, this.queue,
					(each) -> each.figures().dead() == 30 && each.kind() == Kind.FAILING);
			assertThat(diagnosis.summary()).isEqualTo("100 % of the attempts fail: nobody wants it.");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueWhoseMessagesGrowTooOldDoesNotKeepUp() {
		try (ListenerApplication application = start(new Slow())) {
			application.queues()
				.sendAll(IntStream.range(0, 200)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).timeToLive(Duration.ofSeconds(2)))
					.toList());
			QueueDiagnosis diagnosis = await(application, this.queue,
					(each) -> each.figures().ready() == 0 && each.kind() == Kind.DEAD_LETTERS);
			assertThat(diagnosis.has(Kind.KEEPING_UP)).isFalse();
			assertThat(diagnosis.findings().get(0).text()).contains("too old when it was their turn");
		}
	}

	private QueueDiagnosis await(ListenerApplication application, String of, Predicate<QueueDiagnosis> condition) {
		return Awaitility.await()
			.atMost(LONGEST)
			.pollInterval(Duration.ofMillis(100))
			.until(() -> application.bean(QueueAdmin.class).queues().diagnose(of), condition);
	}

	private static QueueFinding finding(QueueDiagnosis diagnosis, Kind kind) {
		return diagnosis.findings().stream().filter((each) -> each.kind() == kind).findFirst().orElseThrow();
	}

	private void send(ListenerApplication application, int count) {
		application.queues()
			.sendAll(IntStream.range(0, count).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
	}

	private ListenerApplication start(Object... listeners) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis).with("queue", this.queue);
		List.of(listeners).forEach(builder::bean);
		return builder.start();
	}

	@PayloadType("placed")
	record Placed(String id) {

	}

	@PayloadType("billed")
	record Billed(String id) {

	}

	@QueueListener("${queue}")
	static class SeveralTypes {

		@QueueHandler
		void placed(Placed order) {
		}

		@QueueHandler
		void billed(Billed order) {
			throw new IllegalStateException("no bill");
		}

	}

	static class Quick {

		@QueueListener(queues = "${queue}", id = "quick", concurrency = "4")
		void handle(String payload) {
		}

	}

	static class Limited {

		@QueueListener(queues = "${queue}", id = "limited", concurrency = "4", rateLimit = "1/1s")
		void handle(String payload) {
		}

	}

	static class Slow {

		@QueueListener(queues = "${queue}", id = "slow", concurrency = "4")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(500);
		}

	}

	static class Groups {

		@QueueListener(topic = "${queue}", group = "mail")
		void mail(String payload) {
			throw new IllegalStateException("the mail server is away");
		}

		@QueueListener(topic = "${queue}", group = "audit")
		void audit(String payload) {
		}

	}

	static class Hanging {

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String payload) throws InterruptedException {
			if (payload.equals("hang")) {
				this.done.await();
			}
		}

	}

	static class TimingOut {

		@QueueListener(queues = "${queue}", concurrency = "2", maxAttempts = "100")
		void handle(String payload) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(500);
			throw new IllegalStateException("the host does not answer");
		}

	}

	static class FailingFirst {

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String payload) {
			if (payload.equals("m0")) {
				throw new IllegalStateException("not this one");
			}
		}

	}

	static class Rejecting {

		@QueueListener(queues = "${queue}")
		void handle(String payload, Acknowledgment acknowledgment) {
			acknowledgment.reject("nobody wants it");
		}

	}

}
