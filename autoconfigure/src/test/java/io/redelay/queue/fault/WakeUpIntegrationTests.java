package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages to idle queues: only a wake-up can bring them in time, and without one the
 * safety poll does.
 */
class WakeUpIntegrationTests extends FaultTests {

	/**
	 * A busy machine may have the instance that failed come first now and then.
	 */
	private static final int MAX_FAILURES = 10;

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void idleListenersAreWokenForWhatIsSentNowAndLater() throws Exception {
		ConfigurableApplicationContext one = instance(IdleListener.class, "redelay.queue.safety-poll-interval=10m",
				"redelay.queue.listener.lease-time=30s");
		ConfigurableApplicationContext other = instance(IdleListener.class, "redelay.queue.safety-poll-interval=10m",
				"redelay.queue.listener.lease-time=30s");
		QueueOperations queue = queue(one);
		BlockingQueue<String> arrived = one.getBean(IdleListener.class).arrived;
		BlockingQueue<String> elsewhere = other.getBean(IdleListener.class).arrived;
		for (int i = 0; i < 10; i++) {
			queue.send(this.queue, "now-" + i);
			assertThat(first(arrived, elsewhere)).isEqualTo("now-" + i);
			Duration delay = Duration.ofMillis(200L + 37L * i);
			long sent = System.nanoTime();
			queue.send(this.queue, "later-" + i, delay);
			assertThat(first(arrived, elsewhere)).isEqualTo("later-" + i);
			assertThat(Duration.ofNanos(System.nanoTime() - sent)).isGreaterThanOrEqualTo(delay)
				.isLessThan(delay.plusMinutes(1));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageDueBeforeOneThatIsWaitedForComesFirst() throws Exception {
		ConfigurableApplicationContext application = instance(IdleListener.class,
				"redelay.queue.safety-poll-interval=10m");
		BlockingQueue<String> arrived = application.getBean(IdleListener.class).arrived;
		queue(application).send(this.queue, "in an hour", Duration.ofHours(1));
		queue(application).send(this.queue, "soon", Duration.ofMillis(300));
		assertThat(arrived.poll(2, TimeUnit.MINUTES)).isEqualTo("soon");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void withoutSubscriptionsTheSafetyPollFindsWhatWasSent() throws Exception {
		ConfigurableApplicationContext application = instance(IdleListener.class,
				"redelay.queue.safety-poll-interval=1s");
		BlockingQueue<String> arrived = application.getBean(IdleListener.class).arrived;
		for (int i = 0; i < 5; i++) {
			this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
			queue(application).send(this.queue, "message-" + i);
			assertThat(arrived.poll(2, TimeUnit.MINUTES)).isEqualTo("message-" + i);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void afterALostSubscriptionListenersAreWokenAgain() throws Exception {
		ConfigurableApplicationContext application = instance(IdleListener.class,
				"redelay.queue.safety-poll-interval=10m");
		BlockingQueue<String> arrived = application.getBean(IdleListener.class).arrived;
		this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
		queue(application).send(this.queue, "while cut off");
		assertThat(arrived.poll(2, TimeUnit.MINUTES)).isEqualTo("while cut off");
		Awaitility.await()
			.until(() -> this.redis.command("PUBSUB", "CHANNELS", "redelay:wake:*").toString().contains("redelay"));
		queue(application).send(this.queue, "afterwards");
		assertThat(arrived.poll(2, TimeUnit.MINUTES)).isEqualTo("afterwards");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anIdleListenerIsWokenForTheCallbackOfABundle() throws Exception {
		ConfigurableApplicationContext application = instance(CallbackListener.class,
				"redelay.queue.safety-poll-interval=10m", "redelay.queue.listener.lease-time=30s");
		MessageBundles bundles = application.getBean(MessageBundles.class);
		for (int i = 0; i < 3; i++) {
			Awaitility.await()
				.until(() -> this.redis.command("ZCARD", "redelay:{" + this.queue + "}:sleepers").equals(1L));
			Bundle bundle = bundles.send(BundleCallback.to(this.queue), List.of());
			assertThat(application.getBean(CallbackListener.class).ended.poll(10, TimeUnit.SECONDS))
				.isEqualTo(bundle.id());
		}
	}

	/**
	 * Without a delay, before a sleeper comes back by itself, and after both have come
	 * back by themselves several times.
	 */
	@ParameterizedTest
	@CsvSource({ "0ms, 10m", "20ms, 10m", "500ms, 10m", "5s, 1s" })
	@Execution(ExecutionMode.CONCURRENT)
	void whatFailsOnOneInstanceIsTriedOnAnotherThatSleeps(String backoff, String safetyPoll) throws Exception {
		String[] properties = { "redelay.queue.safety-poll-interval=" + safetyPoll,
				"redelay.queue.listener.backoff.initial-interval=" + backoff,
				"redelay.queue.listener.backoff.multiplier=1" };
		ConfigurableApplicationContext bad = instance(FailingListener.class, properties);
		FailingListener failing = bad.getBean(FailingListener.class);
		queue(bad).send(this.queue, "x");
		assertThat(failing.entered.await(2, TimeUnit.MINUTES)).isTrue();
		ConfigurableApplicationContext good = instance(IdleListener.class, properties);
		Awaitility.await().until(() -> this.redis.command("ZCARD", "redelay:{" + this.queue + "}:sleepers").equals(2L));
		failing.fails.countDown();
		assertThat(good.getBean(IdleListener.class).arrived.poll(2, TimeUnit.MINUTES)).isEqualTo("x");
		assertThat(failing.failures).as("failures before a healthy instance had the message")
			.hasValueLessThan(MAX_FAILURES);
	}

	private static String first(BlockingQueue<String> one, BlockingQueue<String> other) {
		return Awaitility.await()
			.pollInterval(Duration.ofMillis(1))
			.until(() -> one.isEmpty() ? other.poll() : one.poll(), (value) -> value != null);
	}

	/**
	 * Waits for messages.
	 */
	static class IdleListener {

		final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.arrived.add(payload);
		}

	}

	/**
	 * Waits for callbacks of bundles.
	 */
	static class CallbackListener {

		final BlockingQueue<String> ended = new LinkedBlockingQueue<>();

		@QueueListener("${test.queue}")
		void handle(BundleSummary summary) {
			this.ended.add(summary.id());
		}

	}

	/**
	 * Fails always, the first time when it may.
	 */
	static class FailingListener {

		final CountDownLatch entered = new CountDownLatch(1);

		final CountDownLatch fails = new CountDownLatch(1);

		final AtomicInteger failures = new AtomicInteger();

		@QueueListener(queues = "${test.queue}", maxAttempts = "1000")
		void handle(String payload) throws InterruptedException {
			this.entered.countDown();
			this.fails.await();
			this.failures.incrementAndGet();
			throw new IllegalStateException("This instance handles nothing");
		}

	}

}
