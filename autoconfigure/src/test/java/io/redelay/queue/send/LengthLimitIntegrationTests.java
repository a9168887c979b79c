package io.redelay.queue.send;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for queues that may not grow.
 */
@ExtendWith(OutputCaptureExtension.class)
class LengthLimitIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	void oneTooManyIsRefused() {
		try (ListenerApplication application = start(3, "refuse")) {
			send(application, "a", "b");
			application.queues().send(this.queue, "later", Duration.ofHours(1));
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "too many"))
				.withMessageContaining(this.queue)
				.withMessageContaining("max-length");
			assertThat(waiting(application)).containsExactly("a", "b");
			application.bean(QueueAdmin.class).control().purge(this.queue, MessageState.SCHEDULED);
			send(application, "c");
			assertThat(waiting(application)).containsExactly("a", "b", "c");
		}
	}

	@Test
	void whatIsSentTogetherIsRefusedTogether() {
		try (ListenerApplication application = start(3, "refuse")) {
			send(application, "a", "b");
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "c", "d"));
			assertThat(waiting(application)).containsExactly("a", "b");
		}
	}

	@Test
	void concurrentSendersShareWhatRoomThereIs() {
		try (ListenerApplication application = start(100, "refuse")) {
			List<CompletableFuture<SendResult>> sends = IntStream.range(0, 300)
				.mapToObj((i) -> application.queues().sendAsync(OutboundMessage.to(this.queue, "m" + i)))
				.toList();
			List<Boolean> sent = new ArrayList<>();
			for (CompletableFuture<SendResult> each : sends) {
				sent.add(each.handle((result, failure) -> failure == null).join());
			}
			assertThat(sent).filteredOn((done) -> done).hasSize(100);
			assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).ready()).isEqualTo(100);
		}
	}

	@Test
	void aDuplicateIsNoneTooMany() {
		try (ListenerApplication application = start(1, "refuse")) {
			OutboundMessage message = OutboundMessage.to(this.queue, "a").id("a");
			application.queues().send(message);
			assertThat(application.queues().send(message).duplicate()).isTrue();
		}
	}

	@Test
	void whatHasWaitedLongestMakesRoom(CapturedOutput output) {
		try (ListenerApplication application = start(3, "drop-oldest")) {
			String oldest = application.queues().send(this.queue, "a").id();
			send(application, "b", "c", "d");
			assertThat(waiting(application)).containsExactly("b", "c", "d");
			assertThat(output).contains("'" + this.queue + "' is full, and dropped 1 message(s)").contains(oldest);
		}
	}

	@Test
	void whatWasJustSentIsNotDroppedWhileAllElseIsInHand() {
		Handler handler = new Handler();
		try (ListenerApplication application = start(2, "drop-oldest", handler)) {
			send(application, "a", "b");
			Awaitility.await().until(() -> handler.begun.size() == 2);
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "c"))
				.withMessageContaining(this.queue)
				.withMessageContaining("handlers have in hand");
			handler.gate.countDown();
			QueueState.of(redis, this.queue).awaitDrained();
			send(application, "d");
			Awaitility.await().until(() -> handler.begun.size() == 3);
			assertThat(handler.begun).containsExactlyInAnyOrder("a", "b", "d");
		}
	}

	@Test
	void moreThanTheLimitTogetherAreRefused() {
		try (ListenerApplication application = start(3, "drop-oldest")) {
			send(application, "a");
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> send(application, "b", "c", "d", "e"));
			assertThat(waiting(application)).containsExactly("a");
			send(application, "b", "c", "d");
			assertThat(waiting(application)).containsExactly("b", "c", "d");
		}
	}

	@Test
	void whatIsScheduledIsNotDroppedForItself() {
		try (ListenerApplication application = start(2, "drop-oldest")) {
			application.queues().send(this.queue, "in an hour", Duration.ofHours(1));
			application.queues().send(this.queue, "in two hours", Duration.ofHours(2));
			application.queues().send(this.queue, "in a minute", Duration.ofMinutes(1));
			assertThat(browse(application, MessageState.SCHEDULED)).containsExactly("in a minute", "in two hours");
		}
	}

	@Test
	void whatADuplicateWasReportedAsIsNotDropped() {
		try (ListenerApplication application = start(2, "drop-oldest")) {
			OutboundMessage oldest = OutboundMessage.to(this.queue, "a").id("a");
			application.queues().send(oldest);
			send(application, "b");
			List<SendResult> results = application.queues()
				.sendAll(List.of(oldest, OutboundMessage.to(this.queue, "c")));
			assertThat(results).extracting(SendResult::duplicate).containsExactly(true, false);
			assertThat(waiting(application)).containsExactly("a", "c");
			assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> application.queues()
				.sendAll(List.of(oldest, OutboundMessage.to(this.queue, "d"), OutboundMessage.to(this.queue, "e"))));
			assertThat(waiting(application)).containsExactly("a", "c");
		}
	}

	@Test
	void aQueueWithoutALimitGrows() {
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			send(application, IntStream.range(0, 500).mapToObj((i) -> "m" + i).toArray(String[]::new));
			assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).ready()).isEqualTo(500);
		}
	}

	@Test
	void aLimitOfNothingIsRefusedAtStartup() {
		assertThatException().isThrownBy(() -> start(0, "refuse").close())
			.havingRootCause()
			.withMessageContaining("max-length' must be at least 1: 0");
	}

	private ListenerApplication start(int limit, String overflow, Object... beans) {
		String prefix = "redelay.queue.queues.[" + this.queue + "].";
		ListenerApplication.Builder application = ListenerApplication.on(redis).with("queue", this.queue);
		List.of(beans).forEach(application::bean);
		return application.with(prefix + "max-length", limit).with(prefix + "overflow", overflow).start();
	}

	private void send(ListenerApplication application, String... texts) {
		application.queues()
			.sendAll(List.of(texts).stream().map((text) -> OutboundMessage.to(this.queue, text)).toList());
	}

	private List<String> waiting(ListenerApplication application) {
		return browse(application, MessageState.READY);
	}

	private List<String> browse(ListenerApplication application, MessageState state) {
		return application.bean(QueueAdmin.class)
			.messages()
			.browse(this.queue, state, 0, 100)
			.messages()
			.stream()
			.map(QueuedMessage::payloadAsText)
			.toList();
	}

	static class Handler {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final CountDownLatch gate = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "2")
		void handle(String text) throws InterruptedException {
			this.begun.add(text);
			this.gate.await();
		}

	}

}
