package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.HandlingTimeoutException;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the limit of how long handling may take. Each listener has one permit, so
 * what comes next shows that it is free again.
 */
class HandlingTimeIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatHangsIsInterruptedAndItsMessageHasFailed() {
		Hanging handler = new Hanging();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "hang");
			application.queues().send(this.queue, "next");
			expectTimeouts(handler, 1);
			Awaitility.await().untilTrue(handler.interrupted);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatIgnoresTheInterruptKeepsItsPermit() {
		Stubborn handler = new Stubborn();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "hang");
			assertThat(this.state.awaitDead().message()).contains("PT1S");
			application.queues().send(this.queue, "next");
			Awaitility.await().during(Duration.ofMillis(500)).until(() -> handler.handled.size() == 1);
			handler.end.countDown();
			this.state.awaitDrained();
			Awaitility.await().untilAsserted(() -> assertThat(handler.handled).containsExactly("hang", "next"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aForgottenManualAcknowledgementCountsAsAFailure() {
		Forgetful handler = new Forgetful();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "hang");
			application.queues().send(this.queue, "next");
			expectTimeouts(handler, 2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFutureThatNeverCompletesIsCancelled() {
		Futures handler = new Futures();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "hang");
			application.queues().send(this.queue, "next");
			expectTimeouts(handler, 1);
			Awaitility.await()
				.untilAsserted(() -> assertThat(handler.futures).hasSizeGreaterThanOrEqualTo(3)
					.allMatch(CompletableFuture::isDone));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMonoThatNeverCompletesIsCancelled() {
		Monos handler = new Monos();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "hang");
			application.queues().send(this.queue, "next");
			expectTimeouts(handler, 1);
			Awaitility.await().untilTrue(handler.cancelled);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerInTimeIsNotInterrupted() {
		Hanging handler = new Hanging();
		try (ListenerApplication application = start(handler, "2s")) {
			for (int i = 0; i < 20; i++) {
				application.queues().send(this.queue, "next");
			}
			this.state.awaitDrained();
			Awaitility.await().during(Duration.ofMillis(2200)).until(() -> !handler.interrupted.get());
			assertThat(this.state.dead()).isEmpty();
			assertThat(handler.handled).hasSize(20);
		}
	}

	private void expectTimeouts(Recorder handler, int expected) {
		List<QueueState.Dead> all = Awaitility.await().until(this.state::dead, (each) -> each.size() == expected);
		assertThat(all).allSatisfy((each) -> {
			assertThat(each.reason()).isEqualTo("FAILED");
			assertThat(each.message()).contains("maxHandlingTime");
			assertThat(each.cause().get("exception").asString()).isEqualTo(HandlingTimeoutException.class.getName());
		});
		this.state.awaitDrained();
		Awaitility.await()
			.untilAsserted(() -> assertThat(handler.handled).contains("next").filteredOn("hang"::equals).hasSize(2));
	}

	private ListenerApplication start(Object handler) {
		return start(handler, "1s");
	}

	private ListenerApplication start(Object handler, String limit) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", 2)
			.with("redelay.queue.listener.max-handling-time", limit)
			.with("redelay.queue.listener.concurrency", 1)
			.with("redelay.queue.listener.prefetch", 0)
			.start();
	}

	static class Recorder {

		final List<String> handled = new CopyOnWriteArrayList<>();

	}

	static class Hanging extends Recorder {

		final AtomicBoolean interrupted = new AtomicBoolean();

		@QueueListener("${queue}")
		void handle(String text) throws InterruptedException {
			this.handled.add(text);
			if (text.equals("hang")) {
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException ex) {
					this.interrupted.set(true);
					throw ex;
				}
			}
		}

	}

	static class Stubborn extends Recorder {

		final CountDownLatch end = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", maxAttempts = "1")
		void handle(String text) {
			this.handled.add(text);
			boolean ended = !text.equals("hang");
			while (!ended) {
				try {
					ended = this.end.await(1, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					// On and on.
				}
			}
		}

	}

	static class Forgetful extends Recorder {

		@QueueListener(queues = "${queue}", ackMode = AckMode.MANUAL)
		void handle(String text, Acknowledgment forgotten) {
			this.handled.add(text);
		}

	}

	static class Futures extends Recorder {

		final List<CompletableFuture<Void>> futures = new CopyOnWriteArrayList<>();

		@QueueListener("${queue}")
		CompletableFuture<Void> handle(String text) {
			this.handled.add(text);
			CompletableFuture<Void> future = text.equals("hang") ? new CompletableFuture<>()
					: CompletableFuture.completedFuture(null);
			this.futures.add(future);
			return future;
		}

	}

	static class Monos extends Recorder {

		final AtomicBoolean cancelled = new AtomicBoolean();

		@QueueListener("${queue}")
		Mono<Void> handle(String text) {
			this.handled.add(text);
			return text.equals("hang") ? Mono.<Void>never().doOnCancel(() -> this.cancelled.set(true)) : Mono.empty();
		}

	}

}
