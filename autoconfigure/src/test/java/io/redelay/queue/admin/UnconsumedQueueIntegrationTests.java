package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for queues that are sent to and that no listener consumes.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnconsumedQueueIntegrationTests {

	private static final Duration AFTER = Duration.ofMillis(500);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private String queue = TestRedis.queue();

	@Test
	void isReportedOnceSomeTimeAfterTheFirstSend(CapturedOutput output) {
		try (ListenerApplication application = builder().start()) {
			// A machine that is held up may look before the first send has arrived: then
			// with another queue.
			for (int i = 0; i < 10 && reported(output).isEmpty(); i++) {
				this.queue = TestRedis.queue();
				application.queues()
					.sendAll(List.of(OutboundMessage.to(this.queue, "first"),
							OutboundMessage.to(this.queue, "second").delay(Duration.ofHours(1))));
				awaitLook(() -> !reported(output).isEmpty());
			}
			assertThat(reported(output)).hasSize(1);
			assertThat(reported(output).get(0)).contains("2 message(s) wait");
			application.queues().send(this.queue, "third");
			await().during(AFTER.multipliedBy(3)).until(() -> reported(output).size() == 1);
		}
	}

	@Test
	void isNotReportedIfAnotherApplicationListens(CapturedOutput output) throws InterruptedException {
		Listener listener = new Listener();
		try (ListenerApplication other = builder().with("test.queue", this.queue).bean(listener).start();
				ListenerApplication application = builder().start()) {
			application.queues().send(this.queue, "first");
			assertThat(listener.handled.poll(2, TimeUnit.MINUTES)).isEqualTo("first");
			application.queues().send(this.queue, "later", Duration.ofHours(1));
			await().during(AFTER.multipliedBy(3)).until(() -> reported(output).isEmpty());
		}
	}

	@Test
	void isNotReportedUnlessWanted(CapturedOutput output) {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.send.report-unconsumed-after", "0")
			.start()) {
			application.queues().send(this.queue, "first");
			await().during(AFTER.multipliedBy(2)).until(() -> reported(output).isEmpty());
		}
	}

	private static void awaitLook(Callable<Boolean> reported) {
		try {
			await().atMost(Duration.ofSeconds(10)).until(reported);
		}
		catch (ConditionTimeoutException ex) {
			// It looked too early.
		}
	}

	private static ListenerApplication.Builder builder() {
		return ListenerApplication.on(redis)
			.with("redelay.queue.send.report-unconsumed-after", AFTER.toMillis() + "ms");
	}

	private List<String> reported(CapturedOutput output) {
		return output.getAll()
			.lines()
			.filter((line) -> line.contains("No listener consumes the queue '" + this.queue))
			.toList();
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
