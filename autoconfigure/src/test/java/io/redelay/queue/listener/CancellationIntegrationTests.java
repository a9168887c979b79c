package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageResultException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.wire.TestScripts;
import io.redelay.queue.wire.WakeUpSource;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.event.EventListener;
import org.springframework.messaging.Message;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for messages that are cancelled while a handler has them: by another instance,
 * with a lease of ten minutes, so that no renewal helps.
 */
class CancellationIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String PREFIX = "c" + UUID.randomUUID();

	private static final Handlers handlers = new Handlers();

	private static final Recorder recorder = new Recorder();

	private static ListenerApplication holder;

	private static ListenerApplication other;

	private final String id = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(recorder);
		holder = application().bean(handlers)
			.bean("recorder", recorder)
			.bean("observations", observations)
			.bean(QueueErrorHandler.DEFAULT_BEAN_NAME, (QueueErrorHandler) recorder::handle)
			.with("redelay.queue.queues[" + queue("kept") + "].completed.max-count", 10)
			.start();
		other = application().bean("recorder", new Recorder()).start();
	}

	@AfterAll
	static void stop() {
		other.close();
		holder.close();
	}

	private static ListenerApplication.Builder application() {
		return ListenerApplication.on(redis).with("p", PREFIX).with("redelay.queue.listener.lease-time", "10m");
	}

	private static String queue(String name) {
		return PREFIX + "." + name;
	}

	@ParameterizedTest
	@ValueSource(strings = { "token", "exception", "error", "rejection", "retry", "nack", "nack and exception",
			"reject", "asked" })
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatDoesNotSucceedEndsItsMessageAsCancelled(String how) {
		begin("ends", how);
		cancel("ends");
		awaitCancelled("ends");
		await().untilAsserted(() -> assertThat(recorder.outcomes).containsEntry(this.id, "cancelled"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatSucceedsAcknowledges() {
		begin("plain", "success");
		cancel("plain");
		await().until(() -> recorder.ends(this.id).contains(MessageEvent.Type.ACKNOWLEDGED));
		assertThat(recorder.ends(this.id)).containsExactly(MessageEvent.Type.ACKNOWLEDGED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCancellationThatOvertakesTheReplyToTheClaimReachesTheMessage() {
		String queue = queue("late");
		LateHandler handler = new LateHandler();
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		LateReplies store = new LateReplies();
		QueueScripts scripts = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(30), timer,
				ReplayMemory.NONE, store);
		// The listener subscribes before this does, and so is notified first.
		try (ListenerApplication late = application().bean(handler)
			.bean("recorder", new Recorder())
			.bean("queueScripts", scripts)
			.start(); WakeUpSource.Subscription notices = scripts.wakeUps().subscribe(store)) {
			assertThat(notices).isNotNull();
			late.queues().send(OutboundMessage.to(queue, "x").id(this.id));
			QueueAdmin admin = other.bean(QueueAdmin.class);
			await().until(() -> admin.messages()
				.find(queue, this.id)
				.filter((message) -> message.state() == MessageState.IN_FLIGHT)
				.isPresent());
			assertThat(admin.messages().cancel(queue, this.id).done()).isTrue();
			await().until(() -> store.cancelled.getCount() == 0);
			store.released.complete(null);
			await().until(() -> admin.messages().find(queue, this.id).isEmpty());
			assertThat(handler.begun).isEmpty();
		}
		finally {
			timer.shutdownNow();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aThreadIsInterrupted() {
		begin("interrupted", "blocks");
		cancel("interrupted");
		awaitCancelled("interrupted");
		// No interrupt is left to the next one on the same thread.
		String before = this.id;
		other.queues().send(OutboundMessage.to(queue("interrupted"), "looks").id(before + "-2"));
		await().until(() -> recorder.ends(before + "-2").contains(MessageEvent.Type.ACKNOWLEDGED));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFutureIsCancelled() {
		begin("future", "never");
		cancel("future");
		awaitCancelled("future");
		await().until(handlers.future::isCancelled);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMonoIsCancelled() {
		begin("mono", "never");
		cancel("mono");
		awaitCancelled("mono");
		await().until(() -> handlers.monoCancelled.getCount() == 0);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchIsNotifiedWhenAllAreCancelled() {
		String queue = queue("batch");
		List<String> ids = List.of(this.id + 1, this.id + 2, this.id + 3);
		other.queues().sendAll(ids.stream().map((each) -> OutboundMessage.to(queue, "whole").id(each)).toList());
		await().until(() -> handlers.batches.contains("whole"));
		QueueAdmin admin = other.bean(QueueAdmin.class);
		admin.messages().cancel(queue, ids.get(0));
		admin.messages().cancel(queue, ids.get(2));
		assertThat(handlers.batchTurned.getCount()).isOne();
		admin.messages().cancel(queue, ids.get(1));
		await().until(() -> handlers.batchTurned.getCount() == 0);
		await().until(() -> ids.stream()
			.allMatch((each) -> recorder.ends(each).equals(List.of(MessageEvent.Type.CANCELLED))));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofABatchThatFailsOnlyTheOthersAreHandledAgain() {
		String queue = queue("failing");
		List<String> ids = List.of(this.id + 1, this.id + 2, this.id + 3);
		other.queues().sendAll(ids.stream().map((each) -> OutboundMessage.to(queue, each).id(each)).toList());
		await().until(() -> handlers.batches.contains(this.id + 2));
		other.bean(QueueAdmin.class).messages().cancel(queue, this.id + 2);
		await().until(() -> recorder.ends(this.id + 2).equals(List.of(MessageEvent.Type.CANCELLED)));
		await().until(() -> recorder.ends(this.id + 1).contains(MessageEvent.Type.ACKNOWLEDGED)
				&& recorder.ends(this.id + 3).contains(MessageEvent.Type.ACKNOWLEDGED));
		assertThat(handlers.alone).contains(this.id + 1, this.id + 3).doesNotContain(this.id + 2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatWasReceivedHasAToken() {
		String queue = queue("pulled");
		other.queues().send(OutboundMessage.to(queue, "x").id(this.id));
		ReceivedMessage<String> received = holder.bean(QueueReceiver.class)
			.receive(queue, String.class, 1, Duration.ofSeconds(30))
			.get(0);
		assertThat(received.cancellation().isCancelled()).isFalse();
		cancel("pulled");
		await().until(() -> received.cancellation().reason() == CancellationReason.CANCELLED);
		received.nack();
		awaitCancelled("pulled");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReceiverIsNotifiedThatTheTimeOfItsMessageIsOver() {
		String queue = queue("late");
		other.queues()
			.send(OutboundMessage.to(queue, "x").id(this.id).maxAttempts(1).maxHandlingTime(Duration.ofMillis(100)));
		ReceivedMessage<String> received = holder.bean(QueueReceiver.class)
			.receive(queue, String.class, 1, Duration.ofSeconds(30))
			.get(0);
		await().until(() -> received.cancellation().reason() == CancellationReason.TIMED_OUT);
		await().untilAsserted(() -> assertThat(recorder.deathThreads.get(this.id)).as("listeners may block")
			.isNotNull()
			.doesNotStartWith("redelay-timer"));
		assertThat(recorder.failures).contains(this.id);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWaitsForAHandlerIsNotBegun() throws Exception {
		String queue = queue("waiting");
		other.queues().send(OutboundMessage.to(queue, "blocks").id(this.id + "-first"));
		assertThat(handlers.blocking.await(60, TimeUnit.SECONDS)).isTrue();
		other.queues().send(OutboundMessage.to(queue, "waits").id(this.id));
		QueueAdmin admin = other.bean(QueueAdmin.class);
		await().until(() -> admin.messages()
			.find(queue, this.id)
			.map(QueuedMessage::state)
			.orElse(null) == MessageState.IN_FLIGHT);
		admin.messages().cancel(queue, this.id);
		// The token of the first one shows that what was published before has arrived.
		admin.messages().cancel(queue, this.id + "-first");
		awaitCancelled("waiting");
		assertThat(handlers.waited).hasValue(0);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aWaitForTheResultEndsAndTheMessageIsKept() {
		String queue = queue("kept");
		CompletableFuture<String> result = other.queues()
			.sendForResult(OutboundMessage.to(queue, "token").id(this.id), String.class);
		awaitBegun();
		cancel("kept");
		assertThat(result).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(MessageResultException.class)
			.withMessageContaining("was cancelled while it was being handled");
		assertThat(other.bean(QueueAdmin.class).messages().find(queue, this.id)).get().satisfies((message) -> {
			assertThat(message.state()).isEqualTo(MessageState.COMPLETED);
			assertThat(message.cancelled()).isTrue();
			assertThat(message.result()).isNull();
		});
		await().until(() -> !recorder.ends(this.id).isEmpty());
		assertThat(recorder.ends(this.id)).containsExactly(MessageEvent.Type.CANCELLED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anotherMessageWithTheIdempotencyKeyIsHandled() {
		begin("once", "token");
		cancel("once");
		awaitCancelled("once");
		other.queues().send(OutboundMessage.to(queue("once"), "success").id(this.id + "-2"));
		await().until(() -> handlers.begun.contains(this.id + "-2"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBundleCountsIt() throws Exception {
		other.bean(MessageBundles.class)
			.send(BundleCallback.to(queue("bundled")),
					List.of(OutboundMessage.to(queue("plain"), "token").id(this.id)));
		awaitBegun();
		cancel("plain");
		BundleSummary summary = handlers.summary.get(60, TimeUnit.SECONDS);
		assertThat(summary.cancelled()).isOne();
		assertThat(summary.acknowledged()).isZero();
	}

	private void begin(String queue, String payload) {
		other.queues().send(OutboundMessage.to(queue(queue), payload).id(this.id));
		awaitBegun();
	}

	private void awaitBegun() {
		await().until(() -> handlers.begun.contains(this.id));
	}

	private void cancel(String queue) {
		assertThat(other.bean(QueueAdmin.class).messages().cancel(queue(queue), this.id))
			.satisfies((outcome) -> assertThat(outcome.state()).isEqualTo(MessageState.IN_FLIGHT));
	}

	private void awaitCancelled(String queue) {
		await().until(() -> recorder.ends(this.id).contains(MessageEvent.Type.CANCELLED));
		assertThat(recorder.ends(this.id)).containsExactly(MessageEvent.Type.CANCELLED);
		assertThat(other.bean(QueueAdmin.class).messages().find(queue(queue), this.id)).isEmpty();
		assertThat(recorder.failures).doesNotContain(this.id);
	}

	static final class Handlers {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> batches = new CopyOnWriteArrayList<>();

		final List<String> alone = new CopyOnWriteArrayList<>();

		final CountDownLatch batchTurned = new CountDownLatch(1);

		final CountDownLatch monoCancelled = new CountDownLatch(1);

		final CountDownLatch blocking = new CountDownLatch(1);

		final CompletableFuture<String> future = new CompletableFuture<>();

		final CompletableFuture<BundleSummary> summary = new CompletableFuture<>();

		final AtomicInteger waited = new AtomicInteger();

		@QueueListener(queues = "${p}.ends", ackMode = AckMode.MANUAL, concurrency = "9")
		void ends(String how, MessageDelivery delivery, Acknowledgment acknowledgment) {
			this.begun.add(delivery.info().id());
			if (how.equals("asked")) {
				await().until(acknowledgment::isCancelled);
				throw new IllegalStateException("It was cancelled");
			}
			awaitTurned(delivery.cancellation());
			switch (how) {
				case "exception" -> throw new IllegalArgumentException(how);
				case "error" -> throw new AssertionError(how);
				case "rejection" -> throw new RejectMessageException(how);
				case "retry" -> throw new RetryMessageException(Duration.ZERO);
				case "nack" -> acknowledgment.nack();
				case "nack and exception" -> {
					acknowledgment.nack();
					throw new IllegalStateException(how);
				}
				case "reject" -> acknowledgment.reject(how);
				default -> delivery.cancellation().throwIfCancelled();
			}
		}

		@QueueListener(queues = { "${p}.plain", "${p}.kept" }, concurrency = "4")
		String plain(String how, CancellationToken token, DeliveryInfo info) {
			this.begun.add(info.id());
			awaitTurned(token);
			if (!how.equals("success")) {
				token.throwIfCancelled();
			}
			return "done";
		}

		@QueueListener(queues = "${p}.once", idempotencyKey = "#{id.substring(0, 36)}")
		void once(String how, CancellationToken token, DeliveryInfo info) {
			this.begun.add(info.id());
			if (!how.equals("success")) {
				awaitTurned(token);
				token.throwIfCancelled();
			}
		}

		@QueueListener(queues = "${p}.interrupted", cancellation = "interrupt")
		void interrupted(String how, DeliveryInfo info) throws InterruptedException {
			this.begun.add(info.id());
			if (how.equals("blocks")) {
				new CountDownLatch(1).await(1, TimeUnit.MINUTES);
			}
			if (Thread.interrupted()) {
				throw new IllegalStateException("The thread is interrupted for another message's sake");
			}
		}

		@QueueListener(queues = "${p}.future", cancellation = "interrupt")
		CompletableFuture<String> future(String payload, DeliveryInfo info) {
			this.begun.add(info.id());
			return this.future;
		}

		@QueueListener(queues = "${p}.mono", cancellation = "interrupt")
		Mono<String> mono(String payload, DeliveryInfo info) {
			this.begun.add(info.id());
			return Mono.<String>never().doOnCancel(this.monoCancelled::countDown);
		}

		@QueueListener(queues = "${p}.batch", batchSize = "3", batchTimeout = "30s")
		void batch(List<String> payloads, CancellationToken token) {
			token.onCancel((reason) -> this.batchTurned.countDown());
			this.batches.addAll(payloads);
			awaitTurned(token);
			token.throwIfCancelled();
		}

		@QueueListener(queues = "${p}.failing", batchSize = "3", batchTimeout = "30s")
		void failing(List<Message<String>> messages) {
			if (messages.size() == 1) {
				this.alone.add(messages.get(0).getPayload());
				return;
			}
			Message<String> second = messages.get(1);
			this.batches.add(second.getPayload());
			await().until(second.getHeaders().get(QueueHeaders.ACKNOWLEDGMENT, Acknowledgment.class)::isCancelled);
			throw new IllegalStateException("All fail");
		}

		@QueueListener(queues = "${p}.waiting", concurrency = "1", prefetch = "5")
		void waiting(String payload, CancellationToken token) {
			if (payload.equals("waits")) {
				this.waited.incrementAndGet();
				return;
			}
			this.blocking.countDown();
			awaitTurned(token);
		}

		@QueueListener(queues = "${p}.bundled")
		void bundled(BundleSummary ended) {
			this.summary.complete(ended);
		}

		private static void awaitTurned(CancellationToken token) {
			CountDownLatch turned = new CountDownLatch(1);
			token.onCancel((reason) -> turned.countDown());
			try {
				assertThat(turned.await(1, TimeUnit.MINUTES)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/**
	 * A listener that notes what it handles.
	 */
	static class LateHandler {

		final List<String> begun = new CopyOnWriteArrayList<>();

		@QueueListener("${p}.late")
		void handle(String payload) {
			this.begun.add(payload);
		}

	}

	/**
	 * Holds the replies back that bring messages, and nothing else.
	 */
	static final class LateReplies implements TestScripts.Fault, WakeUpSource.Listener {

		final CompletableFuture<Void> released = new CompletableFuture<>();

		final CountDownLatch cancelled = new CountDownLatch(1);

		@Override
		public CompletableFuture<?> reply(String script, List<Object> keys, Object[] args,
				Supplier<CompletableFuture<?>> redis) {
			CompletableFuture<?> sent = redis.get();
			return !script.equals("claim") ? sent : sent.thenCompose((reply) -> (((List<?>) reply).size() == 1)
					? CompletableFuture.completedFuture(reply) : this.released.thenApply((now) -> reply));
		}

		@Override
		public void wakeUp(String lane) {
		}

		@Override
		public void wakeUpAll() {
		}

		@Override
		public void cancelled(String lane, String uid) {
			this.cancelled.countDown();
		}

	}

	/**
	 * What the holder shows of its messages.
	 */
	static final class Recorder implements MessageRetryListener, ObservationHandler<Observation.Context> {

		final List<String> failures = new CopyOnWriteArrayList<>();

		final Map<String, String> deathThreads = new ConcurrentHashMap<>();

		final Map<String, String> outcomes = new ConcurrentHashMap<>();

		private final List<MessageEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void on(MessageEvent event) {
			this.events.add(event);
		}

		List<MessageEvent.Type> ends(String id) {
			return this.events.stream()
				.filter((event) -> event.id().equals(id))
				.map(MessageEvent::type)
				.filter((type) -> type != MessageEvent.Type.SENT && type != MessageEvent.Type.DELIVERED)
				.toList();
		}

		void handle(Message<?> message, Throwable failure) throws Throwable {
			this.failures.add(message.getHeaders().get(QueueHeaders.ID, String.class));
			throw failure;
		}

		@Override
		public void onRetry(DeliveryInfo delivery, Throwable failure, Duration delay) {
			this.failures.add(delivery.id());
		}

		@Override
		public void onDead(DeliveryInfo delivery, DeathReason reason, @Nullable Throwable failure) {
			this.failures.add(delivery.id());
			this.deathThreads.put(delivery.id(), Thread.currentThread().getName());
		}

		@Override
		public void onStop(Observation.Context context) {
			if (context instanceof QueueProcessContext handling && handling.getOutcome() != null) {
				this.outcomes.put(handling.getId(), handling.getOutcome());
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
