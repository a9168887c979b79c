package io.redelay.queue.config;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.idempotency.IdempotencySettings;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.work.IdempotencyScope;
import io.redelay.template.MessageScope;
import io.redelay.template.MessageTemplate;
import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Determines by which key the handler of a queue succeeds once, if it does.
 */
record IdempotencyResolver(ListenerAttributes attributes) {

	private static final String KEY = "idempotencyKey";

	private static final String SCOPE = "idempotencyScope";

	@Nullable IdempotencySettings resolve(DeclaredValues declared) {
		ConfiguredValue<String> key = declared.first(KEY, (values) -> values.idempotency().key());
		ConfiguredValue<Duration> window = declared.first("idempotencyWindow",
				(values) -> values.idempotency().window());
		IdempotencyScope scope = scope(declared.queue());
		String text = key.value();
		if (text == null) {
			if (window.value() != null && !window.isOfAll()) {
				throw this.attributes.invalid(window.attribute(), "there is no idempotencyKey whose window it could be",
						"Give an idempotencyKey like #{payload.orderId}, or leave the window out");
			}
			if (scope != null) {
				throw this.attributes.invalid(SCOPE, "there is no idempotencyKey whose scope it could be",
						"Give an idempotencyKey like #{payload.orderId}, or leave the scope out");
			}
			return null;
		}
		MessageTemplate template = parse(key.attribute(), text);
		return this.attributes.checked(() -> new IdempotencySettings((message) -> template.text(scope(message)),
				window.or(IdempotencySettings.DEFAULT_WINDOW), (scope != null) ? scope : IdempotencyScope.QUEUE),
				window);
	}

	private @Nullable IdempotencyScope scope(String queue) {
		IdempotencyScope scope = this.attributes.constant(SCOPE, this.attributes.annotation().idempotencyScope(),
				IdempotencyScope.class);
		if (scope == IdempotencyScope.TOPIC && !GroupName.isGroup(queue)) {
			throw this.attributes.invalid(SCOPE,
					"the listener listens to the queue '" + queue + "', and not to a topic",
					"Listen to a topic, or leave the scope out");
		}
		return scope;
	}

	private MessageTemplate parse(String attribute, String text) {
		MessageTemplate template;
		try {
			template = this.attributes.templates().parse("The " + KEY, text);
		}
		catch (TemplateException ex) {
			throw this.attributes.invalid(attribute, ex.getProblem(), ex.getMend(), ex);
		}
		if (template.isConstant()) {
			throw this.attributes.invalid(attribute,
					"'" + text + "' has no expression, so one message in each window would be handled and no other",
					"Write what distinguishes messages, like #{payload.orderId}");
		}
		return template;
	}

	/**
	 * The message as its handler gets it, without an {@link Optional} around the payload.
	 */
	private static MessageScope scope(Message<?> message) {
		Object payload = message.getPayload();
		if (payload instanceof Optional<?> optional && optional.isPresent()) {
			payload = optional.get();
		}
		return new MessageScope(header(message, QueueHeaders.QUEUE), header(message, QueueHeaders.ID), payload,
				message.getHeaders());
	}

	private static String header(Message<?> message, String name) {
		return Objects.toString(message.getHeaders().get(name), "");
	}

}
