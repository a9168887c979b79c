package io.redelay.queue.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.NextStep;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import reactor.core.publisher.Mono;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests of messages that handlers send with their acknowledgements.
 */
class NextStepIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final String target = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Steps steps = new Steps();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theNextStepIsSentWhenTheHandlerHasSucceeded() {
		List<Boolean> early = new CopyOnWriteArrayList<>();
		this.steps.handling = (payload) -> {
			SendResult result = send(payload + " sent");
			assertThat(result.outcome()).isEqualTo(SendOutcome.PENDING);
			early.add(this.application.bean(QueueAdmin.class).queues().info(this.target).ready() > 0);
		};
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "a");
			assertArrive("a sent");
			application.queues().send(this.queue, "b");
			assertArrive("a sent", "b sent");
			assertThat(early).containsOnly(false);
			assertThat(sent).extracting(SendResult::outcome).contains(SendOutcome.PENDING);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAFailedAttemptSentIsDropped() {
		List<String> attempts = new CopyOnWriteArrayList<>();
		this.steps.handling = (payload) -> {
			attempts.add(payload);
			send("of attempt " + attempts.size());
			if (attempts.size() < 3) {
				throw new IllegalStateException("thrown by a test");
			}
		};
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "a");
			assertArrive("of attempt 3");
			assertThat(failed).hasSize(2).allSatisfy((message) -> assertThat(message).contains("not acknowledged"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsRejectedSendsNothing() {
		this.steps.handling = (payload) -> {
			send("never");
			throw new RejectMessageException("thrown by a test");
		};
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "a");
			Awaitility.await().until(() -> this.state.dead().size() == 1);
			Awaitility.await().until(() -> this.failed.size() == 1);
			assertThat(application.bean(QueueAdmin.class).queues().info(this.target).ready()).isZero();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anErrorHandlerThatDealsWithTheFailureSendsItsOwn() {
		this.steps.handling = (payload) -> {
			send("of the handler");
			throw new IllegalStateException("thrown by a test");
		};
		QueueErrorHandler recovery = (message, failure) -> send("of the error handler");
		try (ListenerApplication application = builder().bean("recovery", recovery)
			.with("redelay.queue.listener.error-handler", "recovery")
			.start()) {
			this.application = application;
			application.queues().send(this.queue, "a");
			assertArrive("of the error handler");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatReturnsAFutureSendsFromAnyThread() {
		try (ListenerApplication application = startWith(new FutureSteps(this.queue, this.target))) {
			application.queues().send(this.queue, "a");
			application.queues().send(this.queue, "fails");
			assertArrive("a sent", "fails sent by attempt 2");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatReturnsAMonoSendsFromAnyThread() {
		try (ListenerApplication application = startWith(new MonoSteps(this.queue, this.target))) {
			application.queues().send(this.queue, "a");
			assertArrive("a sent", "a sent with the subscription");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchSendsWithItsAcknowledgement() {
		BatchSteps batches = new BatchSteps(this.target);
		try (ListenerApplication application = startWith(batches)) {
			batches.operations = application.queues();
			application.queues()
				.sendAll(IntStream.range(0, 4).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
			Awaitility.await().until(() -> received().size() >= 1);
			this.state.awaitDrained();
			int inBatches = received().stream().mapToInt((text) -> text.split(",").length).sum();
			assertThat(inBatches).isEqualTo(4);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchOfWhichSomeFailSendsWithTheOthers() {
		BatchSteps batches = new BatchSteps(this.target);
		batches.failFirst = true;
		try (ListenerApplication application = startWith(batches)) {
			batches.operations = application.queues();
			application.queues()
				.sendAll(IntStream.range(0, 4).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
			assertArrive("m0,m1,m2,m3", "again m0");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchOfWhichAllFailSendsNothing() {
		BatchSteps batches = new BatchSteps(this.target);
		batches.failFirst = true;
		try (ListenerApplication application = startWith(batches)) {
			batches.operations = application.queues();
			application.queues().send(this.queue, "m0");
			assertArrive("again m0");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachMessageOfABatchSendsWithItsOwnAcknowledgement() {
		SingleSteps steps = new SingleSteps(this.target);
		try (ListenerApplication application = startWith(steps)) {
			application.queues()
				.sendAll(IntStream.range(0, 4).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
			assertArrive("m0 sent", "m1 sent", "m3 sent", "m2 sent");
			assertThat(steps.sizes).as("no send was refused before the last one was settled").containsExactly(4, 1);
			assertThat(steps.afterAll).hasMessageContaining("has been settled before");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aManualAcknowledgementSendsAndEndsSending() {
		ManualSteps manual = new ManualSteps(this.queue, this.target);
		try (ListenerApplication application = startWith(manual)) {
			application.queues().send(this.queue, "a");
			Awaitility.await().until(() -> manual.acknowledgment.get() != null);
			assertThat(received()).isEmpty();
			manual.acknowledgment.get().acknowledge();
			assertArrive("a sent");
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> manual.nextStep.get().send(this.target, "late"))
				.withMessageContaining("has been settled before");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void outsideOfADeliveryItIsRefused() {
		try (ListenerApplication application = start()) {
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> application.queues().send(OutboundMessage.to(this.target, "x").inDelivery()))
				.withMessageContaining("this thread handles no message")
				.withMessageContaining("NextStep");
			assertThat(this.failed).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatIsNotPlainArrivesAsItWasSent() {
		this.steps.handling = (payload) -> {
			this.application.queues()
				.send(OutboundMessage.to(this.target, payload + " one")
					.id("the id")
					.header("tenant", "t")
					.orderingKey("key")
					.timeToLive(Duration.ofMinutes(5))
					.inDelivery());
			this.application.queues()
				.send(OutboundMessage.to(this.target, payload + " two").id("the id").orderingKey("key").inDelivery());
		};
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "a");
			assertArrive("a one");
			assertThat(this.headers).singleElement().satisfies((each) -> assertThat(each).containsEntry("tenant", "t"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFullQueueHasWhatIsSentWait() {
		this.steps.handling = (payload) -> send(payload + " sent");
		try (ListenerApplication application = builder()
			.with("redelay.queue.queues." + this.target + ".max-length", "2")
			.with("test.receiving", "false")
			.start()) {
			this.application = application;
			IntStream.range(0, 5).forEach((i) -> application.queues().send(this.queue, "m" + i));
			this.state.awaitDrained();
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await().until(() -> admin.queues().info(this.target).ready() == 2);
			application.registry().getContainers().forEach(QueueListenerContainer::start);
			assertArrive("m0 sent", "m1 sent", "m2 sent", "m3 sent", "m4 sent");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aClosedQueueHoldsUpNoOtherInTheOutbox() {
		String closed = TestRedis.queue();
		// What has a time to live goes through the outbox.
		this.steps.handling = (payload) -> this.application.queues()
			.send(OutboundMessage.to(payload.startsWith("closed") ? closed : this.target, payload)
				.timeToLive(Duration.ofHours(1))
				.inDelivery());
		try (ListenerApplication application = start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(closed, "the first");
			admin.control().close(closed);
			application.queues()
				.sendAll(IntStream.range(0, 300)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "closed " + i))
					.toList());
			Instant start = Instant.now();
			for (int i = 0; i < 20; i++) {
				String last = "open " + i;
				application.queues().send(this.queue, last);
				Awaitility.await().until(() -> this.received.contains(last));
			}
			// One that waited for the pause of the closed queue would take half a minute.
			assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofMinutes(2));
			assertThat(admin.queues().info(closed).ready()).isEqualTo(1);
			admin.control().reopen(closed);
			Awaitility.await().until(() -> admin.queues().info(closed).ready() == 301);
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anIdempotentHandlerSendsOncePerKey() {
		this.steps.handling = (payload) -> send(payload + " sent");
		try (ListenerApplication application = builder().with("test.idempotency-key", "#{payload}").start()) {
			this.application = application;
			IntStream.range(0, 6).forEach((i) -> application.queues().send(this.queue, "m" + i % 2));
			this.state.awaitDrained();
			assertArrive("m0 sent", "m1 sent");
		}
	}

	private volatile ListenerApplication application;

	private final List<String> received = new CopyOnWriteArrayList<>();

	private final List<Map<String, Object>> headers = new CopyOnWriteArrayList<>();

	private final List<SendResult> sent = new CopyOnWriteArrayList<>();

	private final List<String> failed = new CopyOnWriteArrayList<>();

	private SendResult send(String payload) {
		return this.application.queues().send(OutboundMessage.to(this.target, payload).inDelivery());
	}

	private List<String> received() {
		return List.copyOf(this.received);
	}

	private void assertArrive(String... payloads) {
		Awaitility.await().untilAsserted(() -> assertThat(this.received).containsExactlyInAnyOrder(payloads));
		this.state.awaitDrained();
		QueueState.of(redis, this.target).awaitDrained();
		assertThat(this.received).containsExactlyInAnyOrder(payloads);
	}

	private ListenerApplication start() {
		ListenerApplication started = builder().start();
		this.application = started;
		return started;
	}

	private ListenerApplication startWith(Object listener) {
		ListenerApplication started = receiving().bean(listener).start();
		this.application = started;
		return started;
	}

	private ListenerApplication.Builder builder() {
		return receiving().bean(this.steps).with("test.queue", this.queue);
	}

	private ListenerApplication.Builder receiving() {
		return ListenerApplication.on(redis)
			.bean("receiver", new Receiver(this))
			.bean("watching", new Watching(this))
			.with("test.queue", this.queue)
			.with("test.target", this.target);
	}

	/**
	 * Does what the test says.
	 */
	static class Steps {

		volatile Handling handling = (payload) -> {
		};

		@QueueListener(queues = "${test.queue}", idempotencyKey = "${test.idempotency-key:}")
		void handle(String payload) {
			this.handling.handle(payload);
		}

	}

	interface Handling {

		void handle(String payload);

	}

	static class Receiver {

		private final NextStepIntegrationTests test;

		Receiver(NextStepIntegrationTests test) {
			this.test = test;
		}

		@QueueListener(queues = "${test.target}", autoStartup = "${test.receiving:true}")
		void handle(Message<String> message) {
			this.test.headers.add(message.getHeaders());
			this.test.received.add(message.getPayload());
		}

	}

	@GlobalInterceptor
	static class Watching implements SendInterceptor {

		private final NextStepIntegrationTests test;

		Watching(NextStepIntegrationTests test) {
			this.test = test;
		}

		@Override
		public void afterSend(OutboundMessage message, @Nullable SendResult result, @Nullable Throwable failure) {
			if (result != null) {
				this.test.sent.add(result);
			}
			else {
				this.test.failed.add(failure.getMessage());
			}
		}

	}

	record FutureSteps(String queue, String target) {

		@QueueListener(queues = "${test.queue}")
		CompletionStage<Void> handle(String payload, NextStep nextStep, DeliveryInfo delivery) {
			return CompletableFuture.runAsync(() -> {
				if (!payload.equals("fails")) {
					nextStep.send(this.target, payload + " sent");
				}
				else {
					nextStep.send(this.target, payload + " sent by attempt " + delivery.attempt());
					if (delivery.attempt() == 1) {
						throw new IllegalStateException("thrown by a test");
					}
				}
			});
		}

	}

	record MonoSteps(String queue, String target) {

		@QueueListener(queues = "${test.queue}")
		Mono<Void> handle(String payload, NextStep nextStep) {
			nextStep.send(this.target, payload + " sent with the subscription");
			return Mono.delay(Duration.ofMillis(20))
				.doOnNext((tick) -> nextStep.send(this.target, payload + " sent"))
				.then();
		}

	}

	static class BatchSteps {

		private final String target;

		volatile boolean failFirst;

		volatile QueueOperations operations;

		BatchSteps(String target) {
			this.target = target;
		}

		@QueueListener(queues = "${test.queue}", batchSize = "4", batchTimeout = "300ms", concurrency = "1")
		void handle(List<String> payloads) {
			String text = String.join(",", new ArrayList<>(payloads));
			if (this.failFirst) {
				this.failFirst = false;
				this.operations.send(OutboundMessage.to(this.target, text).inDelivery());
				throw new BatchFailedException(Map.of(0, new IllegalStateException("thrown by a test")));
			}
			this.operations.send(OutboundMessage.to(this.target, "again " + text).inDelivery());
		}

	}

	static class SingleSteps {

		private final String target;

		final List<Integer> sizes = new CopyOnWriteArrayList<>();

		volatile Throwable afterAll;

		SingleSteps(String target) {
			this.target = target;
		}

		@QueueListener(queues = "${test.queue}", batchSize = "4", batchTimeout = "20s", concurrency = "1")
		void handle(List<String> payloads, BatchAcknowledgment acknowledgment, NextStep nextStep) {
			this.sizes.add(payloads.size());
			for (int i = 0; i < payloads.size(); i++) {
				if (payloads.get(i).equals("m2") && payloads.size() > 1) {
					acknowledgment.at(i).nack();
				}
				else {
					nextStep.send(this.target, payloads.get(i) + " sent");
					acknowledgment.at(i).acknowledge();
				}
			}
			this.afterAll = catchThrowable(() -> nextStep.send(this.target, "too late"));
		}

	}

	record ManualSteps(String queue, String target, AtomicReference<Acknowledgment> acknowledgment,
			AtomicReference<NextStep> nextStep) {

		ManualSteps(String queue, String target) {
			this(queue, target, new AtomicReference<>(), new AtomicReference<>());
		}

		@QueueListener(queues = "${test.queue}", ackMode = AckMode.MANUAL)
		void handle(String payload, Acknowledgment acknowledgment, NextStep nextStep) {
			nextStep.send(this.target, payload + " sent");
			this.nextStep.set(nextStep);
			this.acknowledgment.set(acknowledgment);
		}

	}

}
