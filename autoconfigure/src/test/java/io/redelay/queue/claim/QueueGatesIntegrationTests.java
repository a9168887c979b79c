package io.redelay.queue.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of gates, which let a whole queue wait.
 */
class QueueGatesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Duration WAIT = Duration.ofMillis(700);

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerLetsItsQueueWaitInAllInstancesWithNothingCounted() {
		Overloaded listener = new Overloaded();
		try (ListenerApplication one = start(listener); ListenerApplication other = start(listener)) {
			one.queues().send(this.queue, "first");
			Awaitility.await().until(() -> listener.thrownAt != 0);
			other.queues().send(this.queue, "second");
			Awaitility.await().until(() -> listener.handled.size() == 2);
			assertThat(listener.earliest).as("after it was thrown")
				.isGreaterThanOrEqualTo(listener.thrownAt + WAIT.toNanos());
			assertThat(listener.handled).containsExactlyInAnyOrder("first 1", "second 1");
			assertThat(redis.client().getMap("redelay:{" + this.queue + "}:meta").isExists())
				.as("an open gate is forgotten")
				.isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchWaitsAsAWholeAndIsGivenBackOnce() {
		OverloadedBatch listener = new OverloadedBatch();
		try (ListenerApplication application = start(listener, "test.auto-startup=false")) {
			List.of("a", "b", "c").forEach((payload) -> application.queues().send(this.queue, payload));
			application.container().start();
			Awaitility.await().until(() -> listener.calls.size() == 2);
			assertThat(listener.calls).containsExactly(List.of("a", "b", "c"), List.of("a", "b", "c"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsClosedFromOutsideIsNotDeliveredUntilItIsOpened() {
		Quiet listener = new Quiet();
		try (ListenerApplication application = start(listener)) {
			QueueGates gates = application.bean(QueueGates.class);
			application.queues().send(this.queue, "before");
			Awaitility.await().until(() -> listener.handled.size() == 1);
			gates.close(this.queue, Duration.ofMinutes(10));
			application.queues().send(this.queue, "meanwhile");
			QueueInfo info = application.bean(QueueAdmin.class).queues().info(this.queue);
			assertThat(info.gatedUntil()).isBetween(Instant.now().plusSeconds(300), Instant.now().plusSeconds(900));
			assertThat(gates.closedUntil(this.queue)).hasValue(info.gatedUntil());
			Awaitility.await().pollDelay(Duration.ofMillis(500)).until(() -> true);
			assertThat(listener.handled).containsExactly("before");
			gates.open(this.queue);
			Awaitility.await().until(() -> listener.handled.size() == 2);
			assertThat(gates.closedUntil(this.queue)).isEqualTo(Optional.empty());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotBeIsRefused() {
		try (ListenerApplication application = start(new Quiet())) {
			QueueGates gates = application.bean(QueueGates.class);
			assertThatIllegalArgumentException().isThrownBy(() -> gates.close(this.queue, Duration.ZERO))
				.withMessageContaining("'duration' must be more than 0");
			assertThatIllegalArgumentException().isThrownBy(() -> gates.close(this.queue, " ", Duration.ofSeconds(1)))
				.withMessageContaining("'fairnessKey' is blank");
			assertThatExceptionOfType(UnknownQueueException.class)
				.isThrownBy(() -> gates.close(TestRedis.queue(), Duration.ofSeconds(1)));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> QueueWaitException.ofQueue(Duration.ofSeconds(-1), null))
				.withMessageContaining("'duration' must be 0 to 3650 days");
		}
	}

	private ListenerApplication start(Object listener, String... properties) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis)
			.bean(listener)
			.with("test.queue", this.queue)
			.with("redelay.queue.safety-poll-interval", "10m");
		for (String property : properties) {
			builder.with(property.split("=")[0], property.split("=")[1]);
		}
		return builder.start();
	}

	static class Overloaded {

		final Queue<String> handled = new ConcurrentLinkedQueue<>();

		final AtomicInteger calls = new AtomicInteger();

		volatile long thrownAt;

		volatile long earliest = Long.MAX_VALUE;

		@QueueListener("${test.queue}")
		void handle(String payload, DeliveryInfo info) {
			if (this.calls.getAndIncrement() == 0) {
				this.thrownAt = System.nanoTime();
				throw QueueWaitException.ofQueue(WAIT, null);
			}
			this.earliest = Math.min(this.earliest, System.nanoTime());
			this.handled.add(payload + " " + info.attempt());
		}

	}

	static class OverloadedBatch {

		final Queue<List<String>> calls = new ConcurrentLinkedQueue<>();

		@QueueListener(queues = "${test.queue}", autoStartup = "${test.auto-startup}", concurrency = "1")
		void handle(List<String> payloads) {
			this.calls.add(payloads);
			if (this.calls.size() == 1) {
				throw QueueWaitException.ofQueue(WAIT, new IllegalStateException("429"));
			}
		}

	}

	static class Quiet {

		final Queue<String> handled = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

	}

}
