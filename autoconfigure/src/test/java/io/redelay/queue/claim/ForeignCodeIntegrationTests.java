package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.redelay.delivery.GiveBackMessage;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.scheduling.QueueThreads;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.ListenerApplication;
import io.redelay.test.ListenerRuntimeBuilder;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that nothing that foreign code throws, wherever it is called, keeps a message or
 * a permit: whatever can be thrown is thrown at each hook, and afterwards nothing is held
 * and as many handlers run as before.
 */
@ExtendWith(OutputCaptureExtension.class)
class ForeignCodeIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final int CONCURRENCY = 3;

	private static final int FAILURES_PER_HOOK = 5;

	private final String queue = TestRedis.queue();

	private final List<String> queues = List.of("single", "manual", "batch", "manual-batch");

	private final Listeners listeners = new Listeners();

	private final long seed = new Random().nextLong();

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	/**
	 * The masker is only called for a log that is written.
	 */
	@BeforeEach
	void logMessages() {
		this.logging.setLogLevel(MessageLog.class.getName(), LogLevel.DEBUG);
	}

	@AfterEach
	void logNoMessages() {
		this.logging.setLogLevel(MessageLog.class.getName(), null);
	}

	@Test
	void whateverIsThrownAtWhicheverHookIsSettledAndFreesItsPermit() {
		try (ListenerApplication application = start()) {
			for (String kind : this.queues) {
				application.queues().sendAll(storm(this.queue + "-" + kind));
			}
			for (String kind : this.queues) {
				awaitDrained(kind);
				this.listeners.full = new CyclicBarrier(CONCURRENCY);
				for (int i = 0; i < CONCURRENCY; i++) {
					// One by one, as a batch would take them all.
					int waiting = i;
					Awaitility.await()
						.untilAsserted(() -> assertThat(this.listeners.full.getNumberWaiting())
							.as("handlers of '%s' that run at once, seed %d", kind, this.seed)
							.isEqualTo(waiting));
					application.queues()
						.send(OutboundMessage.to(this.queue + "-" + kind, "good").id("FULL/PLAIN/" + kind + i));
				}
				awaitDrained(kind);
				assertThat(QueueState.of(redis, this.queue + "-" + kind).dead())
					.noneMatch((dead) -> dead.envelope().get("id").asString().startsWith("FULL"));
			}
		}
	}

	@Test
	void anExecutorThatHasNoThreadNowAndThenLosesNothing() {
		Future listener = new Future();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(ThreadlessExecutor.class)
			.bean(listener)
			.bean("errorHandler", new HostileErrorHandler())
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", 1)
			.start()) {
			ThreadlessExecutor executor = application.bean(ThreadlessExecutor.class);
			// Of two calls the first one fails: both that of the handler and that of
			// what follows when its future is complete.
			executor.failing.set(2);
			application.queues().send(OutboundMessage.to(this.queue, "fails").id("one"));
			assertThat(QueueState.of(redis, this.queue).awaitDead().message()).contains("later");
			executor.failing.set(1);
			application.queues().send(OutboundMessage.to(this.queue, "fails").id("two"));
			Awaitility.await().until(() -> QueueState.of(redis, this.queue).dead().size() == 2);
			assertThat(executor.failed).hasValue(3);
			Awaitility.await().until(() -> application.container().permits().held() == 0);
		}
	}

	@Test
	void whatAnExecutorLosesIsReported(CapturedOutput output) {
		Future listener = new Future();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(ThreadlessExecutor.class)
			.bean(listener)
			.bean("errorHandler", new HostileErrorHandler())
			.with("queue", this.queue)
			.with("redelay.queue.listener.lease-time", "300ms")
			.with("spring.lifecycle.timeout-per-shutdown-phase", "1s")
			.start()) {
			application.bean(ThreadlessExecutor.class).losing = true;
			application.queues().send(OutboundMessage.to(this.queue, "lost").id("lost"));
			Awaitility.await()
				.until(() -> output.getAll()
					.contains("of the queue '" + this.queue
							+ "' is held by the listener 'Future.handle', but no thread"));
		}
	}

	private void awaitDrained(String kind) {
		QueueState state = QueueState.of(redis, this.queue + "-" + kind);
		Awaitility.await()
			.untilAsserted(() -> assertThat(state.messages().values()).as("left of '%s', seed %d", kind, this.seed)
				.extracting((envelope) -> envelope.get("id").asString())
				.isEmpty());
		Awaitility.await().until(() -> state.held() == 0);
	}

	private List<OutboundMessage> storm(String queue) {
		Random random = new Random(this.seed);
		List<OutboundMessage> storm = new ArrayList<>();
		for (Hook hook : Hook.values()) {
			List<HostileFailures> all = new ArrayList<>(Arrays.asList(HostileFailures.values()));
			Collections.shuffle(all, random);
			all.subList(0, FAILURES_PER_HOOK)
				.forEach((failure) -> storm
					.add(OutboundMessage.to(queue, "hostile").id(hook + "/" + failure + "/" + storm.size())));
		}
		Collections.shuffle(storm, random);
		return storm;
	}

	private ListenerApplication start() {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new HostileObservation());
		return ListenerApplication.on(redis)
			.bean(this.listeners)
			.bean("redelayMessageConverter", new HostileConverter())
			.bean("observationRegistry", registry)
			.bean("interceptor", new HostileInterceptor())
			.bean("retryListener", new HostileRetryListener())
			.bean("errorHandler", new HostileErrorHandler())
			.bean("backOff", new HostileBackOff(this.seed))
			.bean("masker", (PayloadMasker) (payload, type) -> {
				Hook.MASKER.reached(Listeners.current.get());
				return "masked";
			})
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", 2)
			.with("redelay.queue.listener.concurrency", CONCURRENCY)
			.start();
	}

	/**
	 * Where foreign code is called.
	 */
	private enum Hook {

		HANDLER, STAGE, STAGE_LATER, STAGE_REFUSES, MONO, MONO_REFUSES, ACKNOWLEDGED, BATCH_PARTS, GIVEN_BACK,
		CONVERTER, BEFORE, AFTER, CLEAR, ERROR_HANDLER, ON_RETRY, ON_DEAD, ON_RECOVERED, OBSERVATION_START,
		OBSERVATION_SCOPE, OBSERVATION_SCOPE_END, OBSERVATION_ERROR, OBSERVATION_STOP, MASKER;

		/**
		 * Throws what a message of this id asks for here.
		 */
		void reached(@Nullable String id) {
			if (id != null && id.startsWith(name() + "/")) {
				failure(id).<RuntimeException>raise();
			}
		}

		void reached(Message<?> message) {
			reached((String) message.getHeaders().get(QueueHeaders.ID));
		}

		static Hook of(String id) {
			return valueOf(id.substring(0, id.indexOf('/')));
		}

		static HostileFailures failure(String id) {
			return HostileFailures.valueOf(id.split("/")[1]);
		}

	}

	static class Listeners {

		static final ThreadLocal<@Nullable String> current = new ThreadLocal<>();

		volatile CyclicBarrier full = new CyclicBarrier(1);

		@QueueListener(queues = "${queue}-single", interceptors = "interceptor", errorHandler = "errorHandler")
		@Nullable Object single(Message<String> message) throws Throwable {
			return handle(id(message), null);
		}

		@QueueListener(queues = "${queue}-manual", interceptors = "interceptor", errorHandler = "errorHandler",
				ackMode = AckMode.MANUAL, backoff = @Backoff(bean = "backOff"))
		@Nullable Object manual(Message<String> message, Acknowledgment acknowledgment) throws Throwable {
			return handle(id(message), acknowledgment);
		}

		@QueueListener(queues = "${queue}-batch", interceptors = "interceptor", errorHandler = "errorHandler",
				batchSize = "4", backoff = @Backoff(bean = "backOff"))
		@Nullable Object batch(List<Message<String>> messages) throws Throwable {
			return handleBatch(messages, null);
		}

		@QueueListener(queues = "${queue}-manual-batch", interceptors = "interceptor", errorHandler = "errorHandler",
				batchSize = "4", ackMode = AckMode.MANUAL)
		@Nullable Object manualBatch(List<Message<String>> messages, Acknowledgment acknowledgment) throws Throwable {
			return handleBatch(messages, acknowledgment);
		}

		private @Nullable Object handleBatch(List<Message<String>> messages, @Nullable Acknowledgment acknowledgment)
				throws Throwable {
			Object result = null;
			for (Message<String> message : messages) {
				Object each = handle(id(message), acknowledgment);
				result = (each != null) ? each : result;
			}
			return result;
		}

		private static String id(Message<?> message) {
			return (String) message.getHeaders().get(QueueHeaders.ID);
		}

		private @Nullable Object handle(String id, @Nullable Acknowledgment acknowledgment) throws Throwable {
			if (id.startsWith("FULL")) {
				meet();
			}
			else {
				Object result = misbehave(id, acknowledgment);
				if (result != null) {
					return result;
				}
			}
			if (acknowledgment != null) {
				acknowledgment.acknowledge();
			}
			return null;
		}

		private void meet() throws InterruptedException, TimeoutException {
			try {
				this.full.await(60, TimeUnit.SECONDS);
			}
			catch (BrokenBarrierException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private @Nullable Object misbehave(String id, @Nullable Acknowledgment acknowledgment) throws Throwable {
			HostileFailures failure = Hook.failure(id);
			switch (Hook.of(id)) {
				case HANDLER -> throw failure.create();
				case STAGE -> {
					return CompletableFuture.failedFuture(failure.create());
				}
				case STAGE_LATER -> {
					CompletableFuture<Object> later = new CompletableFuture<>();
					Throwable thrown = failure.create();
					ForkJoinPool.commonPool().execute(() -> later.completeExceptionally(thrown));
					return later;
				}
				case STAGE_REFUSES -> {
					return new RefusingStage(failure);
				}
				case MONO -> {
					return Mono.error(failure::create);
				}
				case MONO_REFUSES -> {
					return new Mono<Object>() {

						@Override
						public void subscribe(reactor.core.CoreSubscriber<? super Object> actual) {
							failure.<RuntimeException>raise();
						}

					};
				}
				case ACKNOWLEDGED -> {
					if (acknowledgment != null) {
						acknowledgment.acknowledge();
					}
					throw failure.create();
				}
				case BATCH_PARTS -> throw new BatchFailedException(Map.of(0, failure.create()));
				case GIVEN_BACK -> throw new HostileGiveBack(failure);
				case ERROR_HANDLER, ON_RETRY, ON_DEAD, ON_RECOVERED, OBSERVATION_ERROR ->
					throw new IllegalStateException("fails, so that the hook is reached");
				default -> {
					return null;
				}
			}
		}

	}

	static class Future {

		@QueueListener(queues = "${queue}", concurrency = "1", errorHandler = "errorHandler")
		CompletableFuture<?> handle(String payload) {
			return CompletableFuture.supplyAsync(() -> {
				throw new IllegalStateException("later");
			}, CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS));
		}

	}

	/**
	 * Has handlers run by an executor that has no thread for every other call, for some
	 * calls.
	 */
	static class ThreadlessExecutor {

		final AtomicInteger failed = new AtomicInteger();

		final AtomicInteger failing = new AtomicInteger();

		private final AtomicBoolean next = new AtomicBoolean();

		volatile boolean losing;

		@Bean
		QueueListenerContainerFactory queueListenerContainerFactory(QueueScripts store, AdminScripts admin,
				QueueThreads threads) {
			Executor failing = (task) -> execute(threads.handlers(), task);
			return new QueueListenerContainerFactory(
					new ListenerRuntimeBuilder(store, Scheduler.of(threads.timer(), failing))
						.handlers(failing, threads.scheduler())
						.safetyPoll(new SafetyPoll(Duration.ofSeconds(5)))
						.adminStore(admin)
						.build());
		}

		private void execute(Executor handlers, Runnable task) {
			if (this.losing) {
				return;
			}
			if (this.failing.get() > 0 && this.next.compareAndSet(false, true)) {
				this.failing.decrementAndGet();
				this.failed.incrementAndGet();
				HostileFailures.NO_NATIVE_THREAD.<RuntimeException>raise();
			}
			this.next.set(false);
			handlers.execute(task);
		}

	}

	/**
	 * Asks to be given back, and cannot say for how long but by chance.
	 */
	@SuppressWarnings("serial")
	private static final class HostileGiveBack extends RuntimeException implements GiveBackMessage {

		private static final AtomicInteger asked = new AtomicInteger();

		private final HostileFailures failure;

		HostileGiveBack(HostileFailures failure) {
			this.failure = failure;
		}

		@Override
		public Duration getGiveBackDelay() {
			if (asked.incrementAndGet() % 3 > 0) {
				this.failure.<RuntimeException>raise();
			}
			return Duration.ofMillis(1);
		}

	}

	private static final class RefusingStage extends CompletableFuture<Object> {

		private final HostileFailures failure;

		RefusingStage(HostileFailures failure) {
			this.failure = failure;
		}

		@Override
		public <U> CompletableFuture<U> handle(BiFunction<? super Object, Throwable, ? extends U> action) {
			this.failure.<RuntimeException>raise();
			return new CompletableFuture<>();
		}

	}

	private static final class HostileInterceptor implements DeliveryInterceptor {

		@Override
		public Message<?> beforeHandling(Message<?> message) {
			Listeners.current.set((String) message.getHeaders().get(QueueHeaders.ID));
			Hook.BEFORE.reached(message);
			return message;
		}

		@Override
		public void afterHandling(Message<?> message, @Nullable Throwable failure) {
			Hook.AFTER.reached(message);
		}

		@Override
		public void clearThreadState(Message<?> message) {
			Listeners.current.remove();
			Hook.CLEAR.reached(message);
		}

	}

	private static final class HostileErrorHandler implements QueueErrorHandler {

		@Override
		public void handle(Message<?> message, Throwable failure) throws Throwable {
			Hook.ERROR_HANDLER.reached(message);
			if (!((String) message.getHeaders().get(QueueHeaders.ID)).startsWith(Hook.ON_RECOVERED.name())) {
				throw failure;
			}
		}

	}

	private static final class HostileRetryListener implements MessageRetryListener {

		@Override
		public void onRetry(DeliveryInfo delivery, Throwable failure, Duration delay) {
			Hook.ON_RETRY.reached(delivery.id());
		}

		@Override
		public void onRecovered(DeliveryInfo delivery, Throwable failure) {
			Hook.ON_RECOVERED.reached(delivery.id());
		}

		@Override
		public void onDead(DeliveryInfo delivery, DeathReason reason, @Nullable Throwable failure) {
			Hook.ON_DEAD.reached(delivery.id());
		}

	}

	private static final class HostileBackOff implements BackOff {

		private final Random random;

		HostileBackOff(long seed) {
			this.random = new Random(seed);
		}

		@Override
		public BackOffExecution start() {
			HostileFailures[] all = HostileFailures.values();
			int choice = this.random.nextInt(2 * all.length);
			if (choice < all.length) {
				all[choice].<RuntimeException>raise();
			}
			return () -> 1;
		}

		@Override
		public String toString() {
			throw new StackOverflowError();
		}

	}

	private static final class HostileConverter extends JacksonJsonMessageConverter {

		@Override
		public @Nullable Object convertFromInternal(Message<?> message, Class<?> type, @Nullable Object hint) {
			Hook.CONVERTER.reached(message);
			return super.convertFromInternal(message, type, hint);
		}

	}

	private static final class HostileObservation implements ObservationHandler<QueueProcessContext> {

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof QueueProcessContext;
		}

		@Override
		public void onStart(QueueProcessContext context) {
			Hook.OBSERVATION_START.reached(context.getId());
		}

		@Override
		public void onScopeOpened(QueueProcessContext context) {
			Hook.OBSERVATION_SCOPE.reached(context.getId());
		}

		@Override
		public void onScopeClosed(QueueProcessContext context) {
			Hook.OBSERVATION_SCOPE_END.reached(context.getId());
		}

		@Override
		public void onError(QueueProcessContext context) {
			Hook.OBSERVATION_ERROR.reached(context.getId());
		}

		@Override
		public void onStop(QueueProcessContext context) {
			Hook.OBSERVATION_STOP.reached(context.getId());
		}

	}

}
