package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for handlers of messages whose lock another holds.
 */
class MyLockQueueIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final String name = LockApplication.name();

	private LockApplication application;

	@AfterEach
	void stop() {
		this.application.close();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void skippedMessageIsGivenBackWithNoAttemptCounted() {
		assertIsHandledOnlyUnderItsLock(Skipping.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void failedMessageIsGivenBackWithNoAttemptCounted() {
		assertIsHandledOnlyUnderItsLock(Failing.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageOfAPublisherIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(Publishing.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageOfAFutureIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(Promising.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageOfAnAsyncHandlerIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(Asynchronous.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhoseHandlerCallsASkippingMethodIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(Calling.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhoseHandlerSkipsByHandIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(ByHand.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhoseHandlerAwaitsAnAsyncSkippingMethodIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(CallingAsync.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhoseHandlerAwaitsAnAsyncMethodThatCallsASkippingOneIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(CallingAsyncCaller.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhosePublisherSubscribesToASkippingOneOnAnotherThreadIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(PublishingElsewhere.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhosePublisherCallsASkippingMethodOnAnotherThreadIsGivenBackIfContextIsPropagated() {
		Hooks.enableAutomaticContextPropagation();
		try {
			assertIsHandledOnlyUnderItsLock(CallingInAPublisher.class);
		}
		finally {
			Hooks.disableAutomaticContextPropagation();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhoseFutureCallsASkippingMethodIsGivenBackIfContextIsPropagated() {
		assertIsHandledOnlyUnderItsLock(PropagatingContext.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageWhoseFutureCallsAFailingMethodIsGivenBack() {
		assertIsHandledOnlyUnderItsLock(FailingElsewhere.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messageThatAFallbackTookIsHandled() throws Exception {
		Handler handler = start(FallingBack.class);
		this.application.hold(this.name);
		send();
		assertThat(handler.handled().poll(2, TimeUnit.MINUTES)).isNotNull();
		await().during(Duration.ofMillis(300))
			.untilAsserted(() -> assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.BUSY));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void methodIsSkippedWhereNoMessageIsHandled() {
		start(Calling.class);
		this.application.hold(this.name);
		Work work = this.application.bean(Work.class);
		work.run(this.name, () -> {
			throw new IllegalStateException("It was not skipped");
		});
		assertThat(work.later(this.name, () -> {
		})).succeedsWithin(Duration.ofMinutes(1)).isNull();
	}

	private void assertIsHandledOnlyUnderItsLock(Class<? extends Handler> type) {
		Handler handler = start(type);
		Runnable release = this.application.hold(this.name);
		send();
		await().untilAsserted(() -> assertThat(this.application.eventTypes()).hasSizeGreaterThan(2)
			.containsOnly(LockEvent.Type.BUSY));
		assertThat(handler.handled()).isEmpty();
		release.run();
		await().untilAsserted(() -> assertThat(handler.handled()).singleElement().satisfies((handled) -> {
			assertThat(handled.failures()).isZero();
			assertThat(handled.attempt()).isEqualTo(1);
		}));
		await().during(Duration.ofMillis(200)).until(() -> handler.handled().size() == 1);
	}

	private void send() {
		this.application.bean(QueueOperations.class).send(this.queue, this.name);
	}

	private Handler start(Class<? extends Handler> type) {
		this.application = LockApplication.start(redis.client(),
				(context) -> TestPropertyValues
					.of("test.queue=" + this.queue, "redelay.lock.give-back-delay=60ms",
							"redelay.queue.listener.max-attempts=2")
					.applyTo(context),
				type, Work.class, Asynchrony.class, QueueAutoConfiguration.class);
		return this.application.bean(type);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class Asynchrony {

	}

	abstract static class Handler {

		final BlockingQueue<DeliveryInfo> handled = new LinkedBlockingQueue<>();

		/**
		 * Read through the proxy, whose own field is not set.
		 */
		BlockingQueue<DeliveryInfo> handled() {
			return this.handled;
		}

	}

	static class Skipping extends Handler {

		@QueueListener("${test.queue}")
		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		void handle(String name, DeliveryInfo info) {
			this.handled.add(info);
		}

	}

	static class Failing extends Handler {

		@QueueListener("${test.queue}")
		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.FAIL_FAST)
		void handle(String name, DeliveryInfo info) {
			this.handled.add(info);
		}

	}

	static class Publishing extends Handler {

		@QueueListener("${test.queue}")
		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		Mono<Void> handle(String name, DeliveryInfo info) {
			return Mono.fromRunnable(() -> this.handled.add(info));
		}

	}

	static class Promising extends Handler {

		@QueueListener("${test.queue}")
		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		CompletableFuture<Void> handle(String name, DeliveryInfo info) {
			return CompletableFuture.runAsync(() -> this.handled.add(info));
		}

	}

	static class Asynchronous extends Handler {

		@Async
		@QueueListener("${test.queue}")
		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		CompletableFuture<Void> handle(String name, DeliveryInfo info) {
			this.handled.add(info);
			return CompletableFuture.completedFuture(null);
		}

	}

	static class FallingBack extends Handler {

		@QueueListener("${test.queue}")
		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST, fallback = "instead")
		void handle(String name, DeliveryInfo info) {
		}

		@SuppressWarnings("unused") // named by the annotation
		void instead(String name, DeliveryInfo info) {
			this.handled.add(info);
		}

	}

	abstract static class Caller extends Handler {

		final Work work;

		Caller(Work work) {
			this.work = work;
		}

	}

	static class Calling extends Caller {

		Calling(Work work) {
			super(work);
		}

		@QueueListener("${test.queue}")
		void handle(String name, DeliveryInfo info) {
			this.work.run(name, () -> this.handled.add(info));
		}

	}

	static class ByHand extends Handler {

		private final LockTemplate template;

		ByHand(LockTemplate template) {
			this.template = template;
		}

		@QueueListener("${test.queue}")
		void handle(String name, DeliveryInfo info) {
			this.template.<Boolean, RuntimeException>execute(LockSpec.of(name).withStrategy(MyLockStrategy.SKIP_FAST),
					() -> this.handled.add(info));
		}

	}

	static class CallingAsync extends Caller {

		CallingAsync(Work work) {
			super(work);
		}

		@QueueListener("${test.queue}")
		CompletableFuture<Void> handle(String name, DeliveryInfo info) {
			return this.work.later(name, () -> this.handled.add(info));
		}

	}

	static class CallingAsyncCaller extends Caller {

		CallingAsyncCaller(Work work) {
			super(work);
		}

		@QueueListener("${test.queue}")
		CompletableFuture<Void> handle(String name, DeliveryInfo info) {
			return this.work.call(() -> this.work.run(name, () -> this.handled.add(info)));
		}

	}

	static class PublishingElsewhere extends Caller {

		PublishingElsewhere(Work work) {
			super(work);
		}

		@QueueListener("${test.queue}")
		Flux<Boolean> handle(String name, DeliveryInfo info) {
			return Mono.delay(Duration.ofMillis(1))
				.flatMapMany((tick) -> this.work.publish(name, Mono.fromSupplier(() -> this.handled.add(info))));
		}

	}

	static class CallingInAPublisher extends Caller {

		CallingInAPublisher(Work work) {
			super(work);
		}

		@QueueListener("${test.queue}")
		Mono<Long> handle(String name, DeliveryInfo info) {
			return Mono.delay(Duration.ofMillis(1))
				.doOnNext((tick) -> this.work.run(name, () -> this.handled.add(info)));
		}

	}

	static class PropagatingContext extends Caller {

		private final Executor executor;

		PropagatingContext(Work work) {
			super(work);
			SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor();
			executor.setTaskDecorator(new ContextPropagatingTaskDecorator());
			this.executor = executor;
		}

		@QueueListener("${test.queue}")
		CompletableFuture<Void> handle(String name, DeliveryInfo info) {
			return CompletableFuture.runAsync(() -> this.work.run(name, () -> this.handled.add(info)), this.executor);
		}

	}

	static class FailingElsewhere extends Caller {

		FailingElsewhere(Work work) {
			super(work);
		}

		@QueueListener("${test.queue}")
		CompletableFuture<Void> handle(String name, DeliveryInfo info) {
			return CompletableFuture.runAsync(() -> this.work.fail(name, () -> this.handled.add(info)));
		}

	}

	static class Work {

		@MyLock(name = "#{name}", waitTime = 20, unit = TimeUnit.MILLISECONDS,
				lockStrategy = MyLockStrategy.SKIP_AFTER_RETRY_TIMEOUT)
		void run(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.FAIL_FAST)
		void fail(String name, Runnable body) {
			body.run();
		}

		@Async
		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		CompletableFuture<Void> later(String name, Runnable body) {
			body.run();
			return CompletableFuture.completedFuture(null);
		}

		@Async
		CompletableFuture<Void> call(Runnable body) {
			body.run();
			return CompletableFuture.completedFuture(null);
		}

		@MyLock(name = "#{name}", lockStrategy = MyLockStrategy.SKIP_FAST)
		Mono<Boolean> publish(String name, Mono<Boolean> body) {
			return body;
		}

	}

}
