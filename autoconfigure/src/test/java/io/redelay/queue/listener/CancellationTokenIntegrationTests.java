package io.redelay.queue.listener;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.HandlingCancelledException;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.MessageStoppedException;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.client.codec.StringCodec;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for the token that asks a running handler to end.
 */
class CancellationTokenIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String q = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void turnsWhenTheHandlingTakesTooLong() throws Exception {
		Waiting listener = new Waiting();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(listener).with("q", this.q).start()) {
			application.queues().send(OutboundMessage.to(this.q, "x").maxHandlingTime(Duration.ofMillis(500)));
			assertThat(listener.reasons.poll(60, TimeUnit.SECONDS)).isEqualTo(CancellationReason.TIMED_OUT);
			assertThat(listener.thrown.get(60, TimeUnit.SECONDS)).isInstanceOfSatisfying(
					HandlingCancelledException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(CancellationReason.TIMED_OUT));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void turnsWhenTheApplicationStops() throws Exception {
		Waiting listener = new Waiting();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(listener).with("q", this.q).start()) {
			application.queues().send(this.q, "x");
			assertThat(listener.started.await(60, TimeUnit.SECONDS)).isTrue();
		}
		assertThat(listener.reasons.poll(60, TimeUnit.SECONDS)).isEqualTo(CancellationReason.SHUTDOWN);
		assertThat(listener.thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(MessageStoppedException.class);
	}

	/**
	 * Renewals ask for what was not heard; so does the timer of a loop whose lane is
	 * renewed by its claims.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Execution(ExecutionMode.CONCURRENT)
	void turnsThoughTheCancellationIsNotHeard(boolean busy) throws Exception {
		Waiting listener = new Waiting();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(listener)
			.with("q", this.q)
			.with("redelay.queue.listener.lease-time", "3s")
			.start()) {
			application.queues().send(OutboundMessage.to(this.q, "x").id("x"));
			assertThat(listener.started.await(60, TimeUnit.SECONDS)).isTrue();
			if (busy) {
				listener.again = () -> application.queues().send(this.q, "again");
				listener.again.run();
			}
			redis.client()
				.getTopic("redelay:wake:" + application.bean(QueueScripts.class).instance(), StringCodec.INSTANCE)
				.removeAllListeners();
			application.bean(QueueAdmin.class).messages().cancel(this.q, "x");
			assertThat(listener.reasons.poll(60, TimeUnit.SECONDS)).isEqualTo(CancellationReason.CANCELLED);
			listener.again = () -> {
			};
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasCancelledAndDiesBeforeThatIsHeardIsNotHandedOn() throws Exception {
		Dying listener = new Dying();
		String target = this.q + ".failed";
		try (ListenerApplication application = ListenerApplication.on(redis).bean(listener).with("q", this.q).start()) {
			application.queues().send(OutboundMessage.to(this.q, "x").id("x").deadLetterQueue(target));
			assertThat(listener.started.await(60, TimeUnit.SECONDS)).isTrue();
			redis.client()
				.getTopic("redelay:wake:" + application.bean(QueueScripts.class).instance(), StringCodec.INSTANCE)
				.removeAllListeners();
			QueueAdmin admin = application.bean(QueueAdmin.class);
			admin.messages().cancel(this.q, "x");
			listener.dies.countDown();
			await().until(() -> admin.messages().find(this.q, "x").isEmpty());
			assertThat(QueueState.of(redis, target).messages()).isEmpty();
			assertThat(QueueState.of(redis, this.q).dead()).isEmpty();
		}
	}

	static final class Dying {

		final CountDownLatch started = new CountDownLatch(1);

		final CountDownLatch dies = new CountDownLatch(1);

		@QueueListener(queues = "${q}")
		void handle(String payload) throws InterruptedException {
			this.started.countDown();
			this.dies.await(60, TimeUnit.SECONDS);
			throw new RejectMessageException("It cannot be handled");
		}

	}

	static final class Waiting {

		final BlockingQueue<CancellationReason> reasons = new LinkedBlockingQueue<>();

		final CountDownLatch started = new CountDownLatch(1);

		final CompletableFuture<Throwable> thrown = new CompletableFuture<>();

		volatile Runnable again = () -> {
		};

		@QueueListener(queues = "${q}", concurrency = "2")
		void handle(String payload, CancellationToken token, MessageDelivery delivery) throws Exception {
			if (payload.equals("again")) {
				this.again.run();
				return;
			}
			CompletableFuture<CancellationReason> turned = new CompletableFuture<>();
			token.onCancel((reason) -> {
				throw new IllegalStateException("A callback that fails");
			});
			delivery.cancellation().onCancel(turned::complete);
			this.started.countDown();
			try {
				this.reasons.add(turned.get(60, TimeUnit.SECONDS));
			}
			catch (InterruptedException ex) {
				this.reasons.add(turned.get(60, TimeUnit.SECONDS));
			}
			this.thrown.complete(catchThrowable(token::throwIfCancelled));
		}

	}

}
