package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import io.redelay.queue.DeliveryLimits;
import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageDeadline;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringTick;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.MimeTypeUtils;

/**
 * Creates the messages of ticks.
 */
record TickMessages(EnvelopeCodec codec, JsonMapper mapper, Function<String, @Nullable Duration> ageing, Uids uids) {

	/**
	 * Before the name, in the ordering key of those that wait for each other.
	 */
	private static final String ORDERING_KEY = "recurring:";

	private static final TypeReference<Map<String, Object>> HEADERS = new TypeReference<>() {
	};

	/**
	 * Creates a message.
	 * @param name the recurring message
	 * @param declaration what was declared
	 * @param tick the time of the tick, at which the message is due
	 */
	NewMessage create(RecurringName name, StoredDeclaration declaration, Instant tick) {
		StoredOptions options = Objects.requireNonNullElse(declaration.options(), StoredOptions.NONE);
		DeliveryOrder order = options.order();
		String key = (order.orderingKey() == null && declaration.overlap() == OverlappingRuns.QUEUE)
				? ORDERING_KEY + name.name() : order.orderingKey();
		Set<String> tags = new LinkedHashSet<>(declaration.tags());
		StoredDeclaration.Payload payload = declaration.payload();
		byte[] content = (payload != null) ? payload.bytes()
				: this.mapper.writeValueAsBytes(new RecurringTick(name.name(), tick));
		Envelope envelope = new Envelope(
				Envelope.Options.of(null, headers(name.name(), options, tick), options.limits().maxAttempts(),
						lifetime(options.limits(), tick),
						Envelope.Keys.of(key, order.fairnessKey(), order.priority(), tags), options.handling(), false),
				(payload != null) ? payload.contentType() : MimeTypeUtils.APPLICATION_JSON_VALUE, content);
		MessageKeys keys = new MessageKeys(key, order.fairnessKey(), Objects.requireNonNullElse(order.weight(), 1),
				order.priority(), this.ageing.apply(name.queue()), Boolean.TRUE.equals(order.deadHoldsKey()), tags);
		return new NewMessage(this.uids.next() + Uids.TICK_SUFFIX, null, null, tick, this.codec.write(envelope), keys,
				null);
	}

	private Map<String, Object> headers(String name, StoredOptions options, Instant tick) {
		Map<String, Object> headers = new LinkedHashMap<>();
		if (options.headers() != null) {
			headers.putAll(this.mapper.readValue(options.headers(), HEADERS));
		}
		headers.put(QueueHeaders.RECURRING, name);
		headers.put(QueueHeaders.TICK, tick.toString());
		return headers;
	}

	/**
	 * A deadline counts from the tick, not from when the message of the tick is put into
	 * Redis.
	 */
	private static Envelope.Lifetime lifetime(DeliveryLimits limits, Instant tick) {
		MessageDeadline deadline = limits.deadline();
		Duration after = (deadline != null) ? deadline.after() : null;
		return Envelope.Lifetime.of(limits.timeToLive(), limits.expiryAction() == ExpiryAction.DROP,
				(deadline != null && after != null) ? new MessageDeadline(null, tick.plus(after), deadline.action())
						: null);
	}

}
