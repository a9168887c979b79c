package io.redelay.lock;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.util.TestPropertyValues;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for handlers of messages whose lock another holds.
 */
class MyLockQueueIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private LockApplication application;

	@AfterEach
	void stop() {
		this.application.close();
	}

	@Test
	void skippedMessageIsGivenBackWithNoAttemptCounted() throws Exception {
		assertIsHandledOnlyUnderItsLock(start(Skipping.class));
	}

	@Test
	void failedMessageIsGivenBackWithNoAttemptCounted() throws Exception {
		assertIsHandledOnlyUnderItsLock(start(Failing.class));
	}

	@Test
	void messageOfAPublisherIsGivenBackWithNoAttemptCounted() throws Exception {
		assertIsHandledOnlyUnderItsLock(start(Publishing.class));
	}

	@Test
	void messageWhoseHandlerCallsASkippingMethodIsGivenBack() throws Exception {
		assertIsHandledOnlyUnderItsLock(start(Calling.class));
	}

	private void assertIsHandledOnlyUnderItsLock(Handler handler) throws InterruptedException {
		String name = LockApplication.name();
		Runnable release = this.application.hold(name);
		this.application.bean(QueueOperations.class).send(this.queue, name);
		assertThat(handler.handled().poll(1500, TimeUnit.MILLISECONDS)).isNull();
		assertThat(this.application.eventTypes().stream().filter(LockEvent.Type.BUSY::equals).count()).isGreaterThan(2);
		release.run();
		DeliveryInfo handled = handler.handled().poll(10, TimeUnit.SECONDS);
		assertThat(handled).isNotNull();
		assertThat(handled.failures()).isZero();
		assertThat(handled.attempt()).isEqualTo(1);
		assertThat(handler.handled().poll(500, TimeUnit.MILLISECONDS)).isNull();
	}

	private Handler start(Class<? extends Handler> type) {
		this.application = LockApplication.start(redis.client(),
				(context) -> TestPropertyValues
					.of("test.queue=" + this.queue, "redelay.lock.give-back-delay=100ms",
							"redelay.queue.listener.max-attempts=2")
					.applyTo(context),
				type, Work.class, QueueAutoConfiguration.class);
		return this.application.bean(type);
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

	static class Calling extends Handler {

		private final Work work;

		Calling(Work work) {
			this.work = work;
		}

		@QueueListener("${test.queue}")
		void handle(String name, DeliveryInfo info) {
			this.work.run(name, () -> this.handled.add(info));
		}

	}

	static class Work {

		@MyLock(name = "#{name}", waitTime = 20, unit = TimeUnit.MILLISECONDS,
				lockStrategy = MyLockStrategy.SKIP_AFTER_RETRY_TIMEOUT)
		void run(String name, Runnable body) {
			body.run();
		}

	}

}
