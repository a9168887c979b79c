package io.redelay.queue.config;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.CompositeMessageConverter;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an application that converts payloads its own way.
 */
class MessageConverterIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	void encryptsWhatIsSentAndDecryptsWhatIsHandled() throws Exception {
		Listeners listeners = new Listeners();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(listeners)
			.bean("redelayMessageConverter", new Encrypting())
			.with("q", this.queue)
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			for (String name : List.of("record", "message", "batch")) {
				application.queues().send(this.queue + "-" + name, new Secret("pin 1234"));
				assertThat(QueueState.of(redis, this.queue + "-" + name).raw()).hasSize(1)
					.noneMatch((envelope) -> envelope.contains("1234") || envelope.contains("pin"));
			}
			application.queues().send(this.queue + "-bytes", "pin 1234".getBytes(StandardCharsets.UTF_8));
			application.registry().getContainers().forEach((container) -> container.start());
			assertThat(listeners.next()).isEqualTo(new Secret("pin 1234"));
			assertThat(listeners.next()).isEqualTo(new Secret("pin 1234"));
			assertThat(listeners.next()).isEqualTo(new Secret("pin 1234"));
			assertThat(listeners.next()).isEqualTo(new Secret("pin 1234"));
		}
	}

	record Secret(String text) {

	}

	static class Listeners {

		private final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();

		@QueueListener("${q}-record")
		void handle(Secret secret) {
			this.seen.add(secret);
		}

		@QueueListener("${q}-message")
		void handle(Message<Secret> secret) {
			this.seen.add(secret.getPayload());
		}

		@QueueListener("${q}-batch")
		void handle(List<Secret> secrets) {
			this.seen.addAll(secrets);
		}

		@QueueListener("${q}-bytes")
		void handle(byte[] secret) {
			this.seen.add(new Secret(new String(secret, StandardCharsets.UTF_8)));
		}

		Object next() throws InterruptedException {
			Object next = this.seen.poll(60, TimeUnit.SECONDS);
			assertThat(next).isNotNull();
			return next;
		}

	}

	/**
	 * Turns each bit around, and leaves the content type as it is.
	 */
	static class Encrypting implements SmartMessageConverter {

		private final CompositeMessageConverter plain = new CompositeMessageConverter(
				List.<MessageConverter>of(new ByteArrayMessageConverter(), new JacksonJsonMessageConverter()));

		@Override
		public @Nullable Object fromMessage(Message<?> message, Class<?> type) {
			return fromMessage(message, type, null);
		}

		@Override
		public @Nullable Object fromMessage(Message<?> message, Class<?> type, @Nullable Object hint) {
			return this.plain.fromMessage(turned(message), type, hint);
		}

		@Override
		public @Nullable Message<?> toMessage(Object payload, @Nullable MessageHeaders headers) {
			return toMessage(payload, headers, null);
		}

		@Override
		public @Nullable Message<?> toMessage(Object payload, @Nullable MessageHeaders headers, @Nullable Object hint) {
			Message<?> message = this.plain.toMessage(payload, headers, hint);
			return (message != null) ? turned(message) : null;
		}

		private static Message<?> turned(Message<?> message) {
			byte[] bytes = ((byte[]) message.getPayload()).clone();
			for (int i = 0; i < bytes.length; i++) {
				bytes[i] = (byte) ~bytes[i];
			}
			return MessageBuilder.createMessage(bytes, message.getHeaders());
		}

	}

}
