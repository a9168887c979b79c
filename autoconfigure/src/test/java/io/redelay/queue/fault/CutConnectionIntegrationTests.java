package io.redelay.queue.fault;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.AckMode;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Connections that are cut while an answer is on its way: what was asked is asked again
 * at once, and not only after {@code spring.data.redis.timeout}.
 */
class CutConnectionIntegrationTests extends FaultTests {

	/**
	 * What a request would take that waits for the timeout.
	 */
	private static final Duration TIMEOUT = Duration.ofMinutes(6);

	private static final Duration SOON = TIMEOUT.dividedBy(3);

	private TcpFaultProxy proxy;

	@BeforeEach
	void startProxy() {
		this.proxy = TcpFaultProxy.to(this.redis);
	}

	@AfterEach
	@Override
	void endAll() throws Exception {
		super.endAll();
		this.proxy.close();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSendWhoseAnswerWasLostIsSentAgainAtOnce() {
		ConfigurableApplicationContext application = application(Object.class);
		queue(application).send(this.queue, "first");
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<SendResult> sent = queue(application).sendAsync(OutboundMessage.to(this.queue, "second"));
		await().until(() -> count("LLEN", "ready") == 2);
		cut();
		assertThat(sent).succeedsWithin(SOON);
		assertThat(count("LLEN", "ready")).isEqualTo(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aClaimWhoseAnswerWasLostIsSentAgainAtOnce() throws InterruptedException {
		ConfigurableApplicationContext application = application(Listener.class);
		Listener listener = application.getBean(Listener.class);
		queue(application).send(this.queue, "first");
		assertThat(listener.handled.poll(2, TimeUnit.MINUTES)).isEqualTo("first");
		await().until(() -> count("HLEN", "messages") == 0);
		// The answer that is held back may be that of a claim which found nothing: then
		// again.
		boolean claimed = false;
		for (int i = 0; i < 20 && !claimed; i++) {
			this.proxy.hold(Direction.TO_CLIENT);
			queue(application).sendAsync(OutboundMessage.to(this.queue, "m" + i));
			claimed = isClaimed();
			cut();
			assertThat(listener.handled.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("m" + i);
			await().until(() -> count("HLEN", "messages") == 0);
		}
		assertThat(claimed).as("a claim that brought a message lost its answer").isTrue();
	}

	/**
	 * The message is gone from Redis when its handler begins, and whether that may begin
	 * is not known until the request was asked again.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageIsHandledOnceIfTheAnswerToItsAcknowledgementBeforeHandlingWasLost() throws InterruptedException {
		ConfigurableApplicationContext application = application(AtMostOnceListener.class);
		AtMostOnceListener listener = application.getBean(AtMostOnceListener.class);
		queue(application).send(this.queue, "first");
		assertThat(listener.handled.poll(2, TimeUnit.MINUTES)).isEqualTo("first");
		boolean lost = false;
		for (int i = 0; i < 20 && !lost; i++) {
			this.proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(500));
			CompletableFuture<SendResult> sent = queue(application).sendAsync(OutboundMessage.to(this.queue, "m" + i));
			await().until(() -> count("HLEN", "messages") == 1 || !listener.handled.isEmpty());
			await().until(() -> count("HLEN", "messages") == 0);
			lost = listener.handled.isEmpty();
			this.proxy.dropConnections();
			this.proxy.delay(Direction.TO_CLIENT, Duration.ZERO);
			assertThat(sent).succeedsWithin(SOON);
			assertThat(listener.handled.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("m" + i);
		}
		assertThat(lost).as("an acknowledgement lost its answer").isTrue();
		queue(application).send(this.queue, "last");
		assertThat(listener.handled.poll(SOON.toSeconds(), TimeUnit.SECONDS)).as("none is handled twice")
			.isEqualTo("last");
	}

	/**
	 * Whether a poll claims what was sent; the wake-up is held back as well.
	 */
	private boolean isClaimed() {
		try {
			await().atMost(5, TimeUnit.SECONDS)
				.until(() -> count("HLEN", "messages") == 1 && count("LLEN", "ready") == 0);
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	private ConfigurableApplicationContext application(Class<?> listener) {
		return instance(listener, "spring.data.redis.url=" + this.proxy.uri(),
				"spring.data.redis.timeout=" + TIMEOUT.toSeconds() + "s", "redelay.queue.resend-timeout=5m",
				"redelay.queue.safety-poll-interval=100ms",
				"redelay.queue.listener.lease-time=" + TIMEOUT.multipliedBy(2).toSeconds() + "s");
	}

	private long count(String command, String key) {
		return (Long) this.redis.command(command, "redelay:{" + this.queue + "}:" + key);
	}

	private void cut() {
		this.proxy.dropConnections();
		this.proxy.release(Direction.TO_CLIENT);
	}

	/**
	 * Remembers what it was given, of which nothing is in Redis any more.
	 */
	static class AtMostOnceListener {

		final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

		@QueueListener(queues = "${test.queue}", ackMode = AckMode.BEFORE_HANDLING)
		void handle(String payload) {
			this.handled.add(payload);
		}

	}

	/**
	 * Remembers what it was given.
	 */
	static class Listener {

		final BlockingQueue<String> handled = new LinkedBlockingQueue<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

	}

}
