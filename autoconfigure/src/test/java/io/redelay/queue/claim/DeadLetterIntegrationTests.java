package io.redelay.queue.claim;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is kept of dead messages, and how many are.
 */
@ExtendWith(OutputCaptureExtension.class)
class DeadLetterIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Trimmed trimmed = new Trimmed();

	@Test
	void keepsWhatIsToBeKnownOfEachAttempt() {
		Instant before = QueueState.now(redis).minusMillis(1);
		try (ListenerApplication application = builder().with("redelay.queue.instance-name", "web-1").start()) {
			application.queues().send(this.queue, "fail");
			QueueState.Dead dead = this.state.awaitDead();
			List<FailedAttempt> history = dead.history().stream().map(DeadLetterIntegrationTests::read).toList();
			assertThat(history).extracting(FailedAttempt::message).containsExactly("no 1", "no 2");
			assertThat(history).extracting(FailedAttempt::failures).containsExactly(1, 2);
			assertThat(history).extracting(FailedAttempt::reason).containsOnlyNulls();
			FailedAttempt last = read(dead.cause().toString());
			assertThat(last.reason()).isEqualTo(DeathReason.FAILED);
			assertThat(last.failures()).isEqualTo(3);
			Instant after = QueueState.now(redis);
			assertThat(List.of(history.get(0), history.get(1), last)).allSatisfy((attempt) -> {
				assertThat(attempt.instance()).isEqualTo("web-1");
				assertThat(attempt.listener()).isEqualTo("Handler.handle");
				assertThat(attempt.exception()).isEqualTo(IOException.class.getName());
				assertThat(attempt.stackTrace()).contains("DeadLetterIntegrationTests$Handler.handle")
					.doesNotContain("org.springframework", "Handling.");
				assertThat(attempt.at()).isBetween(before, after);
			});
		}
	}

	@Test
	void keepsTheLastTenAttempts() {
		try (ListenerApplication application = builder().start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(13));
			assertThat(this.state.awaitDead().history()).hasSize(10)
				.extracting((line) -> read(line).message())
				.startsWith("no 3")
				.endsWith("no 12");
		}
	}

	@Test
	void cutsWhatIsLongAndNamesTheInstanceByItself() {
		try (ListenerApplication application = builder().start()) {
			application.queues().send(this.queue, "long");
			FailedAttempt death = read(this.state.awaitDead().cause().toString());
			assertThat(death.message()).hasSize(1000).endsWith("…");
			assertThat(death.stackTrace()).hasSizeLessThan(2100);
			assertThat(death.instance()).endsWith(":" + ProcessHandle.current().pid());
		}
	}

	@Test
	void aNegativeAcknowledgmentHasNoException() {
		try (ListenerApplication application = builder().start()) {
			application.queues().send(OutboundMessage.to(this.queue, "nack").maxAttempts(2));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(read(dead.history().get(0))).satisfies((attempt) -> assertThat(attempt.exception()).isNull(),
					(attempt) -> assertThat(attempt.stackTrace()).isNull());
		}
	}

	@Test
	void whatNeverFailedHasNoHistory() {
		try (ListenerApplication application = builder().start()) {
			application.queues().send(this.queue, "reject");
			assertThat(this.state.awaitDead().history()).isEmpty();
		}
	}

	@Test
	void keepsTheLastOnesAndReportsWhichItRemoved(CapturedOutput output) {
		try (ListenerApplication application = builder().bean(this.trimmed)
			.with("redelay.queue.safety-poll-interval", "200ms")
			.with("redelay.queue.dead-letters.max-count", "1")
			.with("redelay.queue.queues[" + this.queue + "].dead-letters.max-count", "2")
			.start()) {
			List<String> uids = new CopyOnWriteArrayList<>();
			IntStream.range(0, 5).forEach((i) -> uids.add(application.queues().send(this.queue, "reject " + i).id()));
			Waiting.await().until(() -> this.trimmed.uids.size() == 3);
			assertThat(this.state.dead()).extracting((dead) -> dead.envelope().get("payload").asString())
				.containsExactlyInAnyOrder("reject 3", "reject 4");
			assertThat(this.trimmed.uids).containsExactlyInAnyOrderElementsOf(uids.subList(0, 3));
			assertThat(output.getAll().lines().filter((line) -> line.contains("of the queue '" + this.queue)))
				.filteredOn((line) -> line.contains("Removed "))
				.anySatisfy((line) -> assertThat(line).contains("WARN", uids.get(0)));
		}
	}

	@Test
	void keepsAsManyBytesAsItMay() {
		try (ListenerApplication application = builder().bean(this.trimmed)
			.with("redelay.queue.safety-poll-interval", "200ms")
			.with("redelay.queue.queues[" + this.queue + "].dead-letters.max-bytes", "6KB")
			.start()) {
			List<String> uids = IntStream.range(0, 8)
				.mapToObj((i) -> application.queues().send(this.queue, "reject " + i + "x".repeat(1_000)).id())
				.toList();
			Waiting.await().until(() -> this.trimmed.uids.size() >= 4);
			Waiting.await().until(() -> this.state.dead().size() == 8 - this.trimmed.uids.size());
			assertThat(this.state.dead()).isNotEmpty();
			assertThat(this.trimmed.uids).containsExactlyElementsOf(uids.subList(0, this.trimmed.uids.size()));
			assertThat(this.state.deadBytes()).isPositive().isLessThanOrEqualTo(6 * 1024);
			application.bean(QueueAdmin.class).control().purge(this.queue, MessageState.DEAD);
			assertThat(this.state.deadBytes()).isZero();
		}
	}

	@Test
	void keepsThemForATimeAndLooksAtTheStart() {
		try (ListenerApplication application = builder().start()) {
			application.queues().send(this.queue, "reject");
			this.state.awaitDead();
		}
		try (ListenerApplication application = builder().bean(this.trimmed).start()) {
			assertThat(application.container().isRunning()).isTrue();
			Waiting.await().during(Duration.ofMillis(200)).until(() -> this.state.dead().size() == 1);
			assertThat(this.trimmed.uids).isEmpty();
		}
		try (ListenerApplication application = builder().bean(this.trimmed)
			.with("redelay.queue.dead-letters.max-age", "1ms")
			.start()) {
			assertThat(application.container().isRunning()).isTrue();
			Waiting.await().until(() -> this.trimmed.uids.size() == 1);
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	void trimsManyInSteps() {
		try (ListenerApplication application = builder().start()) {
			application.queues()
				.sendAll(IntStream.range(0, 1203).mapToObj((i) -> OutboundMessage.to(this.queue, "reject")).toList());
			Waiting.await().until(() -> this.state.dead().size() == 1203);
		}
		try (ListenerApplication application = builder().bean(this.trimmed)
			.with("redelay.queue.dead-letters.max-count", "3")
			.start()) {
			assertThat(application.container().isRunning()).isTrue();
			Waiting.await().until(() -> this.trimmed.uids.size() == 1200);
			assertThat(this.state.dead()).hasSize(3);
			assertThat(this.trimmed.calls).allSatisfy((uids) -> assertThat(uids).hasSizeLessThanOrEqualTo(500));
		}
	}

	private ListenerApplication.Builder builder() {
		return ListenerApplication.on(redis).bean(new Handler()).with("queue", this.queue);
	}

	private static FailedAttempt read(String json) {
		return new FailedAttemptCodec(JsonMapper.shared()).read(json);
	}

	static class Handler {

		@QueueListener(queues = "${queue}", maxAttempts = "3", concurrency = "1")
		void handle(String what, DeliveryInfo info, Acknowledgment acknowledgment) throws IOException {
			switch (what.split(" ")[0]) {
				case "fail" -> throw new IOException("no " + info.attempt());
				case "long" -> throw new RejectMessageException("x".repeat(5000), new IOException("y".repeat(5000)));
				case "nack" -> acknowledgment.nack(Duration.ZERO);
				default -> throw new RejectMessageException("no");
			}
		}

	}

	static class Trimmed implements MessageRetryListener {

		final List<List<String>> calls = new CopyOnWriteArrayList<>();

		final List<String> uids = new CopyOnWriteArrayList<>();

		@Override
		public void onTrimmed(String queue, List<String> uids) {
			this.calls.add(uids);
			this.uids.addAll(uids);
		}

	}

}
