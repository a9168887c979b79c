package io.redelay.queue.bundle;

import java.util.Collection;
import java.util.List;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;

/**
 * A bundle of messages, to add to and to close. This object has no state and need not be
 * kept: {@link MessageBundles#bundle} returns another one for the same bundle.
 * <p>
 * Inside a transaction, adding and closing wait for the commit, as sends do. Safe for use
 * by many threads.
 *
 * @since 0.1.0
 */
public interface Bundle {

	/**
	 * The queue of the callback.
	 * @return the name of the queue
	 */
	String queue();

	/**
	 * The id of the bundle.
	 * @return the id
	 */
	String id();

	/**
	 * Adds messages and sends them in parts of a thousand, or of four megabytes; each
	 * part is added completely or not at all. When this returns, Redis has them and the
	 * bundle waits for them; they reach their queues even if this program ends.
	 * <p>
	 * It can be done as long as the bundle has not ended: while it is open, and while one
	 * of its messages is being handled, so a handler can add to the bundle of its
	 * message.
	 * @param messages messages to queues; their payloads must not gather with others
	 * @return the ids of the messages, in the same order
	 * @throws BundleEndedException if there is no such bundle, or not any more
	 * @throws MessageSendException if messages were not sent; the parts before were
	 */
	List<String> add(Collection<OutboundMessage> messages);

	/**
	 * Adds a message and sends it.
	 * @param message the message
	 * @return its id
	 * @see #add(Collection)
	 */
	default String add(OutboundMessage message) {
		return add(List.of(message)).get(0);
	}

	/**
	 * Cancels messages that have not ended: waiting ones are removed, and the
	 * {@link io.redelay.queue.work.CancellationToken} of those that are being handled
	 * turns, as with {@code QueueAdmin.messages().cancel}. A message that is added from
	 * now on is not sent and counts as cancelled.
	 * <p>
	 * When this returns, the cancellation is recorded, and is carried out even if this
	 * program ends; the bundle ends when its last message has. This does not close the
	 * bundle, and does not cancel bundles that handlers of its messages have opened.
	 * Calling it again changes nothing.
	 * @throws BundleEndedException if there is no such bundle, or not any more
	 */
	void cancelRest();

	/**
	 * Closes the bundle: from now on it ends with its last message, and its callback is
	 * sent; at once, if all have ended. Closing it again changes nothing.
	 * @throws BundleEndedException if there is no such bundle, or not any more
	 */
	void close();

}
