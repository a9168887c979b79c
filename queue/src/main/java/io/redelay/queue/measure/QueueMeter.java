package io.redelay.queue.measure;

import org.jspecify.annotations.Nullable;

/**
 * Is told by the engine what work the queues of this instance have, and how long it took.
 * Each bean of this type is told, once all singletons are created. Nothing is measured
 * where there is none.
 * <p>
 * Queues are named as the store names them: by the partition, of which
 * {@code PartitionName.queueOf} gives the queue, so that a meter finds what it counts by
 * one look-up. Times are counted from the request to the reply, and a request that is
 * sent again is counted once. A request that brings nothing to an end, because Redis is
 * away or refuses it, is not told.
 * <p>
 * The methods are called on the threads that handle messages and on those of the Redis
 * client, by many at a time: they must be quick, and must not block. What they throw is
 * logged once and changes nothing.
 *
 * @since 0.1.0
 */
public interface QueueMeter {

	/**
	 * Measures nothing.
	 */
	QueueMeter NONE = new QueueMeter() {

		@Override
		public boolean isMeasuring() {
			return false;
		}

	};

	/**
	 * Whether the other methods are to be called. It is asked for each request and each
	 * invocation of a handler.
	 * @return whether they are
	 */
	default boolean isMeasuring() {
		return true;
	}

	/**
	 * A request was answered that adds messages.
	 * @param queue the partition
	 * @param messages how many messages were added, those left out that are duplicates of
	 * others
	 * @param nanos how long the request took; 0 for messages that were sent together with
	 * an acknowledgement, in the request that settled. Some of these are not told while
	 * others wait in the outbox
	 */
	default void sent(String queue, int messages, long nanos) {
	}

	/**
	 * A request was answered that asks for messages.
	 * @param queue the partition
	 * @param messages how many messages it brought, 0 if there were none
	 * @param nanos how long the request took
	 */
	default void claimed(String queue, int messages, long nanos) {
	}

	/**
	 * A request was answered that settles messages. Settlements that were refused are not
	 * counted.
	 * @param queue the partition
	 * @param settled what became of the messages
	 * @param nanos how long the request took, which may also have claimed messages; 0 if
	 * the messages died otherwise, because their time was over while they waited
	 */
	default void settled(String queue, Settled settled, long nanos) {
	}

	/**
	 * A request was answered that redrove dead messages as a round of their queue's rule.
	 * @param queue the partition
	 * @param messages how many live again
	 */
	default void redriven(String queue, int messages) {
	}

	/**
	 * The handling of a message has ended, whatever its settlement becomes. One message
	 * of a batch whose handling is repeated for that message alone is told only then.
	 * @param handling the handling
	 */
	default void handled(Handling handling) {
	}

	/**
	 * An attempt to handle a message failed: told before the message is tried again,
	 * buried or, if it was acknowledged before, lost. Not told of a message that dies
	 * unhandled, because its time is over.
	 * @param queue the queue, not the partition
	 * @param listener the id of the listener
	 * @param exception the class of the exception, or {@code null} if there was none
	 * @param message what the failure says of itself, at most 200 characters; may be
	 * hostile, as whatever a payload brings about
	 */
	default void failed(String queue, String listener, @Nullable String exception, String message) {
	}

}
