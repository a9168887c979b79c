package io.redelay.queue.handle;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.log.PlainLog;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.CompletionSection;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.HandledMember;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.message.SavedRunState;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.UnhandledEnd;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Adds the sections that go to Redis together with the end of a message: the message if
 * its queue keeps completed ones, its result if its sender waits for it, and the messages
 * that its handler sends.
 * <p>
 * Safe for use by many threads.
 *
 * @param settings what is kept of completed messages, or {@code null} for nothing beyond
 * the results that senders wait for
 * @param converter converts results; {@code null} if none are kept
 */
record Completions(@Nullable RetentionSettings settings, @Nullable MessageConverter converter) {

	static final Completions NONE = new Completions(null, null);

	private static final Log logger = PlainLog.of(Completions.class);

	/**
	 * The bounds for a result that only its sender asked for.
	 */
	private static final RetentionBounds AWAITED = new RetentionBounds(Duration.ofHours(1), 10_000,
			RetentionBounds.ANY_SIZE);

	/**
	 * Returns whether a settlement acknowledges a message that was handled in time.
	 */
	static boolean isAcknowledged(Settlement decided) {
		return decided.action() == Settlement.Action.ACK && !decided.isExpiry();
	}

	/**
	 * Returns an acknowledgement with the sections for what is kept of the message, and
	 * then those for the messages that the handler sends.
	 * @param succeeded whether the handling succeeded
	 * @param returned the value that the handler returned
	 * @param saved the state that the run of a tick saves, or {@code null}
	 * @param sends the messages that the handler sends, or {@code null} if there are none
	 */
	Settlement complete(DeliveryClaim claim, Settlement decided, boolean succeeded, @Nullable Object returned,
			@Nullable SavedRunState saved, @Nullable Completion sends) {
		Envelope read = claim.envelopeIfRead();
		if (!isAcknowledged(decided)) {
			return (decided.isAcknowledgment() && read != null) ? dropped(decided, read) : decided;
		}
		if (sends == null && saved == null && this.settings == null && (read == null || read.headers().isEmpty())) {
			return decided;
		}
		List<CompletionSection> sections = new ArrayList<>();
		if (saved != null) {
			sections.add(saved);
		}
		if (succeeded && read != null) {
			if (read.headers().get(QueueHeaders.BUNDLE_RESULT) instanceof Number most && returned != null) {
				sections.add(keptByBundle(claim, most.longValue(), returned));
			}
			addKept(claim, read, returned, sections);
		}
		if (sends != null) {
			sections.addAll(sends.sections());
		}
		return sections.isEmpty() ? decided
				: Settlement.done(decided.uid(), decided.claim(), new Completion(sections, (counted) -> {
					if (sends != null) {
						sends.complete(counted);
					}
				}));
	}

	/**
	 * Adds the sections for the message and its result, if they are kept.
	 */
	private void addKept(DeliveryClaim claim, Envelope read, @Nullable Object returned,
			List<CompletionSection> sections) {
		String waiting = waiting(read);
		if (waiting != null || this.settings != null) {
			sections.add(kept(read));
		}
		if (waiting != null || (this.settings != null && this.settings.results())) {
			sections.add(result(claim, waiting, returned));
		}
	}

	/**
	 * Adds the reply to the instance that waits for the result of a message whose time is
	 * over.
	 */
	private Settlement dropped(Settlement decided, Envelope read) {
		String waiting = waiting(read);
		return (waiting == null) ? decided : Settlement.done(decided.uid(), decided.claim(),
				UnhandledEnd.expired(List.of(kept(read), KeptResult.expired(waiting))));
	}

	/**
	 * Ends a message that was cancelled while it was in hand.
	 */
	Settlement cancelled(DeliveryClaim claim) {
		Envelope read = claim.envelopeIfRead();
		String waiting = (read != null) ? waiting(read) : null;
		if (read == null || (waiting == null && this.settings == null)) {
			return Settlement.cancel(claim.uid(), claim.number(), null);
		}
		return Settlement.cancel(claim.uid(), claim.number(),
				new Completion(List.of(kept(read), KeptResult.cancelled(waiting)), (counted) -> {
				}));
	}

	/**
	 * Ends a message that died and is kept in another queue.
	 * @param cause the cause of its death, as JSON
	 */
	Settlement forwarded(DeliveryClaim claim, String cause) {
		String waiting = waiting(claim.envelope());
		List<CompletionSection> reply = (waiting != null)
				? List.of(kept(claim.envelope()), KeptResult.dead(waiting, cause)) : List.of();
		return Settlement.done(claim.uid(), claim.number(), UnhandledEnd.dead(cause, reply));
	}

	private KeptMessage kept(Envelope envelope) {
		return new KeptMessage(envelope.id(), (this.settings != null) ? this.settings.bounds() : AWAITED);
	}

	/**
	 * Returns the section for the handler's result that the bundle of a message keeps.
	 * @param most how many bytes it keeps
	 */
	private CompletionSection keptByBundle(DeliveryClaim claim, long most, Object value) {
		KeptResult result = result(claim, null, value);
		if (result.contentType().equals(KeptResult.FAILED)) {
			return HandledMember.leftOut();
		}
		if (result.value().length > most) {
			logger.warn("The " + claim + " is done, but its bundle does not keep what the handler of the listener '"
					+ claim.context().listener() + "' returned: it has " + result.value().length
					+ " bytes, and the bundle keeps " + most
					+ " of each; raise that by BundleCallback.keepResults, or return a reference to the data");
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
			String why = "what the handler of the listener '" + claim.context().listener() + "' returned, a "
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
