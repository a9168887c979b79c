package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the order of messages that are due in the same millisecond.
 */
class OrderIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	/**
	 * So many that their numbers differ in length.
	 */
	private static final List<String> TEXTS = IntStream.range(0, 1_400).mapToObj((i) -> "m" + i).toList();

	private final String queue = TestRedis.queue();

	@Test
	void delayedMessagesOfOneSendAllAreDeliveredInTheirOrder() {
		Handler handler = new Handler();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.start()) {
			application.queues()
				.sendAll(TEXTS.stream()
					.map((text) -> OutboundMessage.to(this.queue, text).delay(Duration.ofMillis(1)))
					.toList());
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(handler.handled).isEqualTo(TEXTS);
		}
	}

	@Test
	void messagesForTheSameTimeAreDueInTheOrderOfSending() {
		Instant due = Instant.now().plus(Duration.ofHours(1));
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			List<String> texts = TEXTS.subList(0, 100);
			texts.forEach((text) -> application.queues().sendAt(this.queue, text, due));
			assertThat(application.bean(QueueAdmin.class)
				.messages()
				.browse(this.queue, MessageState.SCHEDULED, 0, 100)
				.messages()
				.stream()
				.map(QueuedMessage::payloadAsText)).isEqualTo(texts);
		}
	}

	static class Handler {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "1")
		void handle(String text) {
			this.handled.add(text);
		}

	}

}
