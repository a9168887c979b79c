package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendOutcomeUnknownException;
import io.redelay.queue.SendResult;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.test.IdleStore;
import io.redelay.test.SinglePartitions;
import io.redelay.test.TestSettings;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.converter.StringMessageConverter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link QueueTemplate} without a server.
 */
class QueueTemplateTests {

	@Test
	void aFutureCompletesAlthoughTheApplicationIsClosing() {
		QueueTemplate template = new QueueTemplate(new IdleStore().scripts(), new StringMessageConverter(),
				new EnvelopeCodec(), TestSettings.SEND, SinglePartitions.create(),
				new SendObservation(ObservationRegistry.NOOP, null, null), (action) -> {
					throw new RejectedExecutionException("closed");
				}, List.of());
		CompletableFuture<SendResult> sent = template.sendAsync(OutboundMessage.to("orders", "x").id("seven"));
		assertThat(sent).succeedsWithin(Duration.ofMinutes(1)).extracting(SendResult::id).isEqualTo("seven");
	}

	@Test
	void reportsWhereInTheApplicationASendFailed() {
		QueueTemplate template = TestSettings.template(new FailingStore().scripts(), new StringMessageConverter(),
				TestSettings.SEND);
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> template.send("orders", "x"))
			.withMessageContaining("'orders'")
			.withMessageContaining("there is no store")
			.satisfies((ex) -> assertThat(ex.getSuppressed()[0].getStackTrace())
				.anyMatch((frame) -> frame.getClassName().startsWith(QueueTemplateTests.class.getName())));
	}

	@Test
	void anInterruptedSenderFailsWithAnUnknownOutcome() {
		QueueTemplate template = TestSettings.template(new IdleStore() {

			@Override
			protected CompletableFuture<Void> register(String queue) {
				return new CompletableFuture<>();
			}

		}.scripts(), new StringMessageConverter(), TestSettings.SEND);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(SendOutcomeUnknownException.class).isThrownBy(() -> template.send("orders", "x"))
			.withMessageContaining("interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aFullLaneRefusesMore() {
		QueueTemplate template = TestSettings.template(new IdleStore() {

			@Override
			protected CompletableFuture<Void> register(String queue) {
				return new CompletableFuture<>();
			}

		}.scripts(), new StringMessageConverter(), new SendSettings(1000,
				new SendSettings.MaxWaiting(2, Long.MAX_VALUE), true, Map.of(), Map.of(), Map.of(), Map.of(), null));
		for (int i = 0; i < 3; i++) {
			assertThat(template.sendAsync(OutboundMessage.to("orders", "x"))).isNotDone();
		}
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> template.send("orders", "x"))
			.withMessageContaining("2 messages already wait")
			.withMessageContaining("slower than the senders");
	}

}
