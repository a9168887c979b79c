package io.redelay.queue.listener;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of listeners that acknowledge unhandled what their filter does not accept.
 */
class DeliveryFilterIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final OddFilter filter = new OddFilter();

	private ListenerApplication start(Handled listener) {
		return ListenerApplication.on(redis)
			.with("queue", this.queue)
			.bean("odd", this.filter)
			.bean(this.registry)
			.bean(listener)
			.start();
	}

	private double count(String outcome) {
		return this.registry.find("redelay.queue.handling")
			.tag("redelay.outcome", outcome)
			.timers()
			.stream()
			.mapToLong(Timer::count)
			.sum();
	}

	private void verify(Handled listener) {
		try (ListenerApplication application = start(listener)) {
			for (int i = 0; i < 20; i++) {
				application.queues()
					.send(OutboundMessage.to(this.queue, Integer.toString(i)).orderingKey("key" + i % 2));
			}
			Awaitility.await().until(() -> listener.handled.size() == 10);
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(listener.handled).containsExactlyInAnyOrder("1", "3", "5", "7", "9", "11", "13", "15", "17",
					"19");
			Awaitility.await().untilAsserted(() -> assertThat(count("filtered")).isEqualTo(10));
			assertThat(count("handled")).isEqualTo(10);
			assertThat(QueueState.of(redis, this.queue).dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsNotAcceptedIsAcknowledgedUnhandled() {
		verify(new Single());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItIsInBatches() {
		verify(new Batches());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItIsWhereHandlersReturnFutures() {
		verify(new Futures());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void soItIsWhereHandlersAcknowledgeThemselves() {
		verify(new Manual());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFilterThatFailsIsAFailureOfTheMessage() {
		verifyFailure(new Single());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void inABatchItIsAFailureOfThatMessageOnly() {
		verifyFailure(new Batches());
		// What was accepted beside it was handled once.
	}

	private void verifyFailure(Handled listener) {
		try (ListenerApplication application = start(listener)) {
			this.filter.failing.add("7");
			application.queues()
				.sendAll(List.of("1", "2", "7", "9")
					.stream()
					.map((text) -> OutboundMessage.to(this.queue, text))
					.toList());
			Awaitility.await().until(() -> this.filter.failures.get() >= 2);
			assertThat(listener.handled).doesNotContain("7");
			this.filter.failing.clear();
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(listener.handled).containsExactlyInAnyOrder("1", "9", "7");
			Awaitility.await().untilAsserted(() -> assertThat(count("failed")).isGreaterThanOrEqualTo(2));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFilterThatIsNotThereIsRefused() {
		assertThatThrownBy(() -> ListenerApplication.on(redis).with("queue", this.queue).bean(new Single()).start())
			.hasStackTraceContaining("there is no DeliveryFilter bean named 'odd'");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aPropertyOfTheQueueNamesAFilter() {
		Plain listener = new Plain();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".filter", "odd")
			.bean("odd", this.filter)
			.bean(listener)
			.start()) {
			application.queues().send(this.queue, "2");
			application.queues().send(this.queue, "3");
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(listener.handled).containsExactly("3");
		}
	}

	static class OddFilter implements DeliveryFilter {

		final Set<String> failing = ConcurrentHashMap.newKeySet();

		final AtomicInteger failures = new AtomicInteger();

		@Override
		public boolean accepts(Message<?> message) {
			String text = new String((byte[]) message.getPayload(), StandardCharsets.UTF_8).replace("\"", "");
			if (this.failing.contains(text)) {
				this.failures.incrementAndGet();
				throw new IllegalStateException("cannot say");
			}
			return Integer.parseInt(text) % 2 == 1;
		}

	}

	abstract static class Handled {

		final List<String> handled = new CopyOnWriteArrayList<>();

	}

	static class Single extends Handled {

		@QueueListener(queues = "${queue}", filter = "odd", maxAttempts = "1000000")
		void handle(String text) {
			this.handled.add(text);
		}

	}

	static class Plain extends Handled {

		@QueueListener(queues = "${queue}")
		void handle(String text) {
			this.handled.add(text);
		}

	}

	static class Batches extends Handled {

		@QueueListener(queues = "${queue}", filter = "odd", maxAttempts = "1000000", concurrency = "1",
				batchTimeout = "20ms")
		void handle(List<String> texts) {
			assertThat(texts).isNotEmpty();
			this.handled.addAll(texts);
		}

	}

	static class Futures extends Handled {

		@QueueListener(queues = "${queue}", filter = "odd")
		CompletableFuture<Void> handle(String text) {
			return CompletableFuture.runAsync(() -> this.handled.add(text));
		}

	}

	static class Manual extends Handled {

		@QueueListener(queues = "${queue}", filter = "odd", ackMode = AckMode.MANUAL)
		void handle(String text, Acknowledgment acknowledgment) {
			this.handled.add(text);
			acknowledgment.acknowledge();
		}

	}

}
