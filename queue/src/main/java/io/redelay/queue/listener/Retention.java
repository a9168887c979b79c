package io.redelay.queue.listener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.store.CompletionSection;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.HandledMember;
import io.redelay.queue.store.KeptMessage;
import io.redelay.queue.store.KeptResult;
import io.redelay.queue.store.RetentionBounds;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Decides what is kept of a completed message: the message if its queue keeps any, and
 * the result if its sender waits for it.
 * <p>
 * Safe for use by many threads.
 */
final class Retention {

	static final Retention NONE = new Retention(null, null);

	private static final Log logger = LogFactory.getLog(Retention.class);

	/**
	 * The bounds for a result that only its sender asked for.
	 */
	private static final RetentionBounds AWAITED = new RetentionBounds(Duration.ofHours(1), 10_000,
			RetentionBounds.ANY_SIZE);

	private final @Nullable RetentionSettings settings;

	private final @Nullable MessageConverter converter;

	Retention(@Nullable RetentionSettings settings, @Nullable MessageConverter converter) {
		this.settings = settings;
		this.converter = converter;
	}

	/**
	 * Returns the sections to send with the acknowledgement of a message.
	 * @param value the value that its handler returned
	 * @return the sections, none if nothing is kept
	 */
	List<CompletionSection> of(DeliveryClaim claim, Envelope envelope, @Nullable Object value) {
		String waiting = waiting(envelope);
		RetentionSettings kept = this.settings;
		if (kept == null && waiting == null) {
			return List.of();
		}
		List<CompletionSection> sections = new ArrayList<>(2);
		sections.add(new KeptMessage(envelope.id(), (kept != null) ? kept.bounds() : AWAITED));
		if (waiting != null || (kept != null && kept.results())) {
			sections.add(result(claim, waiting, value));
		}
		return sections;
	}

	/**
	 * Returns the sections to send with the end of a message that was cancelled while it
	 * was in hand.
	 * @return the sections, none if nothing is kept
	 */
	List<CompletionSection> ofCancelled(Envelope envelope) {
		String waiting = waiting(envelope);
		RetentionSettings kept = this.settings;
		if (kept == null && waiting == null) {
			return List.of();
		}
		return List.of(new KeptMessage(envelope.id(), (kept != null) ? kept.bounds() : AWAITED),
				KeptResult.cancelled(waiting));
	}

	/**
	 * Returns the sections to send with the end of a message that was not handled and
	 * leaves nothing in its queue.
	 * @param result creates the reply to the instance that waits for its result
	 * @return the sections, none if no instance waits
	 */
	List<CompletionSection> ofUnhandled(Envelope envelope, Function<String, KeptResult> result) {
		String waiting = waiting(envelope);
		RetentionSettings kept = this.settings;
		return (waiting != null) ? List.of(new KeptMessage(envelope.id(), (kept != null) ? kept.bounds() : AWAITED),
				result.apply(waiting)) : List.of();
	}

	/**
	 * Returns the section for the handler's result that the bundle of a message keeps.
	 * @param most how many bytes it keeps
	 * @return the section, or {@code null} if nothing was returned
	 */
	@Nullable CompletionSection ofBundle(DeliveryClaim claim, long most, @Nullable Object value) {
		if (value == null) {
			return null;
		}
		KeptResult result = result(claim, null, value);
		if (result.contentType().equals(KeptResult.FAILED)) {
			return HandledMember.leftOut();
		}
		if (result.value().length > most) {
			logger.warn("The " + claim + " is done, but its bundle does not keep what the handler of the listener '"
					+ claim.listener() + "' returned: it has " + result.value().length + " bytes, and the bundle keeps "
					+ most + " of each; raise that by BundleCallback.keepResults, or return a reference to the data");
			return HandledMember.leftOut();
		}
		return new HandledMember(result.contentType(), result.value());
	}

	private static @Nullable String waiting(Envelope envelope) {
		return (envelope.headers().get(QueueHeaders.RESULT_TO) instanceof String instance) ? instance : null;
	}

	private KeptResult result(DeliveryClaim claim, @Nullable String waiting, @Nullable Object value) {
		if (value == null) {
			return new KeptResult(waiting, "", new byte[0]);
		}
		try {
			return converted(waiting, value);
		}
		catch (Throwable ex) {
			String why = "what the handler of the listener '" + claim.listener() + "' returned, a "
					+ value.getClass().getName() + ", cannot be kept: " + ex.getMessage();
			logger.warn("The " + claim + " is done, but " + why);
			return KeptResult.failed(waiting, why);
		}
	}

	private KeptResult converted(@Nullable String waiting, Object value) {
		MessageConverter present = this.converter;
		Message<?> message = (present != null) ? present.toMessage(value, null) : null;
		if (message == null) {
			throw new IllegalStateException("no MessageConverter takes it");
		}
		byte[] bytes = (message.getPayload() instanceof byte[] given) ? given
				: message.getPayload().toString().getBytes(StandardCharsets.UTF_8);
		if (bytes.length > KeptResult.MAX_SIZE) {
			throw new IllegalStateException("it has " + bytes.length + " bytes, and at most " + KeptResult.MAX_SIZE
					+ " are kept; return a reference to the data");
		}
		Object type = message.getHeaders().get(MessageHeaders.CONTENT_TYPE);
		return new KeptResult(waiting, (type != null) ? type.toString() : "application/octet-stream", bytes);
	}

}
