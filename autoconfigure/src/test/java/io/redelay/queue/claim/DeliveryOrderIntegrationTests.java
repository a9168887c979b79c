package io.redelay.queue.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the order in which messages of different priorities and fairness keys are
 * delivered. All are there before the listener starts, and it handles one at a time.
 */
class DeliveryOrderIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final Recorder recorder = new Recorder();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theHighestPriorityGoesFirstAndEachIsInTheOrderOfSending() {
		try (ListenerApplication application = application().start()) {
			for (int priority : List.of(0, 9, 4, 9, 0, 5)) {
				application.queues().send(message(priority + "-" + this.recorder.sent++).priority(priority));
			}
			application.queues().send(this.queue, "plain-" + this.recorder.sent++);
			assertThat(handled(application)).containsExactly("9-1", "9-3", "5-5", "4-2", "plain-6", "0-0", "0-4");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void withAgeingWhatCameMuchEarlierGoesFirst() {
		try (ListenerApplication application = application()
			.with("redelay.queue.queues." + this.queue + ".priority-ageing", "1h")
			.start()) {
			application.queues().send(message("low").priority(0));
			application.queues().send(message("usual"));
			application.queues().send(message("high").priority(9));
			assertThat(handled(application)).containsExactly("high", "usual", "low");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void withAgeingALowPriorityIsNotStarved() {
		try (ListenerApplication application = application()
			.with("redelay.queue.queues." + this.queue + ".priority-ageing", "1ms")
			.start()) {
			Instant sent = application.queues().send(message("low").priority(0)).due();
			await().until(() -> Duration.between(sent, QueueState.now(redis)).toMillis() > 20);
			application.queues().send(message("high").priority(9));
			assertThat(handled(application)).containsExactly("low", "high");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void fairnessKeysTakeTurnsWhateverWaits() {
		try (ListenerApplication application = application().start()) {
			sendAll(application, "loud", 50, 1);
			sendAll(application, "quiet", 3, 1);
			sendAll(application, "calm", 3, 1);
			List<String> handled = handled(application);
			assertThat(handled).hasSize(56);
			assertThat(handled.subList(0, 12)).contains("quiet-0", "quiet-1", "quiet-2", "calm-0", "calm-1", "calm-2");
			assertThat(of(handled, "loud")).isEqualTo(numbered("loud", 50));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aWeightGivesAKeyMoreOfEachRound() {
		try (ListenerApplication application = application().start()) {
			sendAll(application, "light", 20, 1);
			sendAll(application, "heavy", 20, 4);
			List<String> handled = handled(application).subList(0, 20);
			assertThat(of(handled, "heavy")).hasSizeBetween(14, 18);
			assertThat(of(handled, "light")).hasSizeBetween(2, 6);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneKeyMayBothOrderAndShareOut() {
		try (ListenerApplication application = application().start()) {
			List<OutboundMessage> messages = new ArrayList<>();
			for (String key : List.of("a", "b")) {
				IntStream.range(0, 5).forEach((i) -> messages.add(message(key + "-" + i).key(key)));
			}
			messages.add(message("plain-0"));
			application.queues().sendAll(messages);
			List<String> handled = handled(application);
			assertThat(handled).hasSize(11);
			assertThat(of(handled, "a")).isEqualTo(numbered("a", 5));
			assertThat(of(handled, "b")).isEqualTo(numbered("b", 5));
			assertThat(handled.indexOf("plain-0")).isLessThan(6);
		}
	}

	private void sendAll(ListenerApplication application, String key, int count, int weight) {
		application.queues()
			.sendAll(numbered(key, count).stream().map((text) -> message(text).fairnessKey(key, weight)).toList());
	}

	private static List<String> numbered(String key, int count) {
		return IntStream.range(0, count).mapToObj((i) -> key + "-" + i).toList();
	}

	private static List<String> of(List<String> handled, String key) {
		return handled.stream().filter((text) -> text.startsWith(key + "-")).toList();
	}

	private OutboundMessage message(String text) {
		return OutboundMessage.to(this.queue, text);
	}

	private ListenerApplication.Builder application() {
		return ListenerApplication.on(redis).bean(this.recorder).with("queue", this.queue);
	}

	private List<String> handled(ListenerApplication application) {
		application.container().start();
		QueueState.of(redis, this.queue).awaitDrained();
		return this.recorder.handled;
	}

	static class Recorder {

		final List<String> handled = new CopyOnWriteArrayList<>();

		int sent;

		@QueueListener(queues = "${queue}", concurrency = "1", prefetch = "0", autoStartup = "false")
		void handle(String text) {
			this.handled.add(text);
		}

	}

}
