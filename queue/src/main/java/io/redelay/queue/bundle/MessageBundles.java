package io.redelay.queue.bundle;

import java.util.Collection;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;

/**
 * Sends bundles of messages: when all messages of one have ended, acknowledged, dead or
 * otherwise, one callback is sent with a summary of how they ended. There is a bean of
 * this type.
 * <p>
 * The messages are plain messages of their queues and are handled by their listeners. A
 * bundle has nothing to do with a listener that takes a {@code List} of messages at a
 * time.
 * <p>
 * Inside a transaction, all this waits for the commit, as sends do. Safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public interface MessageBundles {

	/**
	 * Sends a bundle that is complete.
	 * @param callback what is sent when all messages have ended
	 * @param messages the messages, at once all or none if they are no more than a
	 * thousand of four megabytes; a bundle without messages ends at once
	 * @return the bundle
	 * @throws MessageSendException if it was not sent; of more than a thousand messages,
	 * some may have been, and the bundle ends when its time is over
	 */
	Bundle send(BundleCallback callback, Collection<OutboundMessage> messages);

	/**
	 * Opens a bundle, to add messages to and to close. If there is one with this id, this
	 * opens that one, and its callback stays: a program that opens it again after a crash
	 * can add further messages.
	 * @param callback what is sent when it is closed and all messages have ended
	 * @return the bundle
	 */
	Bundle open(BundleCallback callback);

	/**
	 * Gives access to a bundle, such as that of the message that is being handled, see
	 * {@link QueueHeaders#BUNDLE}. Whether the bundle exists shows only when it is used.
	 * @param queue the queue of the callback
	 * @param id the id of the bundle
	 * @return the bundle
	 */
	Bundle bundle(String queue, String id);

}
