package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.store.Completion;
import io.redelay.queue.store.CompletionSection;
import io.redelay.queue.store.UnhandledEnd;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.KeptResult;
import io.redelay.queue.store.SavedRunState;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Adds the sections that go to Redis together with the end of a message: its retained
 * result, the reply to the instance that waits for it, and the messages that its handler
 * sends.
 * <p>
 * Safe for use by many threads.
 */
final class Completions {

	static final Completions NONE = new Completions(Retention.NONE);

	private final Retention retention;

	Completions(Retention retention) {
		this.retention = retention;
	}

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
		List<CompletionSection> sections = new ArrayList<>();
		if (saved != null) {
			sections.add(saved);
		}
		if (succeeded && read != null) {
			addResult(claim, read, returned, sections);
			sections.addAll(this.retention.of(claim, read, returned));
		}
		if (sends != null) {
			sections.addAll(sends.sections());
		}
		return sections.isEmpty() ? decided
				: Settlement.done(decided.uid(), decided.claim(), new Completion(sections, (counted) -> {
					if (sends != null) {
						sends.tell(counted);
					}
				}));
	}

	/**
	 * Adds the section for the result that the bundle of a message keeps.
	 */
	private void addResult(DeliveryClaim claim, Envelope read, @Nullable Object returned,
			List<CompletionSection> sections) {
		if (read.headers().get(QueueHeaders.BUNDLE_RESULT) instanceof Number most) {
			CompletionSection result = this.retention.ofBundle(claim, most.longValue(), returned);
			if (result != null) {
				sections.add(result);
			}
		}
	}

	/**
	 * Adds the reply to the instance that waits for the result of a message whose time is
	 * over.
	 */
	private Settlement dropped(Settlement decided, Envelope read) {
		List<CompletionSection> told = this.retention.ofUnhandled(read, KeptResult::expired);
		return told.isEmpty() ? decided : Settlement.done(decided.uid(), decided.claim(), UnhandledEnd.expired(told));
	}

	/**
	 * Ends a message that was cancelled while it was in hand.
	 */
	Settlement cancelled(DeliveryClaim claim) {
		Envelope read = claim.envelopeIfRead();
		List<CompletionSection> sections = (read != null) ? this.retention.ofCancelled(read) : List.of();
		return Settlement.cancel(claim.uid(), claim.number(),
				sections.isEmpty() ? null : new Completion(sections, (counted) -> {
				}));
	}

	/**
	 * Ends a message that died and is kept in another queue.
	 * @param cause the cause of its death, as JSON
	 */
	Settlement handedOn(DeliveryClaim claim, String cause) {
		List<CompletionSection> told = this.retention.ofUnhandled(claim.envelope(),
				(waiting) -> KeptResult.dead(waiting, cause));
		return Settlement.done(claim.uid(), claim.number(), UnhandledEnd.dead(cause, told));
	}

}
