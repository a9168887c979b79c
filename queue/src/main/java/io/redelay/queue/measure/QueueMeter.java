package io.redelay.queue.measure;

import org.jspecify.annotations.Nullable;

/**
 * Measures the work that the queues of this instance have, and how long it took. The
 * engine calls each bean of this type, once all singletons are created. Without such a
 * bean nothing is measured.
 * <p>
 * Queues are named as the store names them: by the partition, of which
 * {@code PartitionName.queueOf} gives the queue. So a meter finds its counters by one
 * look-up. Times are counted from the request to the reply, and a request that is sent
 * again is counted once. A request that fails, because Redis is away or refuses it, is
 * not reported.
 * <p>
 * The methods are called on the threads that handle messages and on those of the Redis
 * client, by many at a time. They must be quick, and must not block. An exception of
 * theirs is logged once and changes nothing.
 *
 * @since 0.1.0
 */
public interface QueueMeter {

	/**
	 * Called when a request that adds messages was answered.
	 * @param queue the partition
	 * @param messages how many messages were added, without duplicates
	 * @param nanos how long the request took; 0 for messages that were sent together with
	 * an acknowledgement, in the request that settled. Some of these are not reported
	 * while others wait in the outbox
	 */
	default void sent(String queue, int messages, long nanos) {
	}

	/**
	 * Called when the filter of a group left out published messages, so that the group
	 * got no copies of them.
	 * @param queue the queue of the group
	 * @param messages how many messages it got no copies of
	 */
	default void leftOut(String queue, int messages) {
	}

	/**
	 * Called when a request that claims messages was answered.
	 * @param queue the partition
	 * @param messages how many messages it brought, 0 if there were none
	 * @param nanos how long the request took
	 */
	default void claimed(String queue, int messages, long nanos) {
	}

	/**
	 * Called when a request that settles messages was answered. Refused settlements are
	 * not counted.
	 * @param queue the partition
	 * @param settled what became of the messages
	 * @param nanos how long the request took, which may also have claimed messages; 0 if
	 * the messages died otherwise, because their time was over while they waited
	 */
	default void settled(String queue, Settled settled, long nanos) {
	}

	/**
	 * Called when a request that redrove dead messages as a round of their queue's rule
	 * was answered.
	 * @param queue the partition
	 * @param messages how many messages were redriven
	 */
	default void redriven(String queue, int messages) {
	}

	/**
	 * Called when the handling of a message has ended, however the message is then
	 * settled. A message of a batch that is then handled again by itself is reported only
	 * after that.
	 * @param handling the handling
	 */
	default void handled(Handling handling) {
	}

	/**
	 * Called when an attempt to handle a message failed, before the message is tried
	 * again, buried or, if it was acknowledged before, lost. Not called for a message
	 * that dies unhandled because its time is over.
	 * @param queue the queue, not the partition
	 * @param listener the id of the listener
	 * @param exception the class of the exception, or {@code null} if there was none
	 * @param message the text of the failure, at most 200 characters; it may come from a
	 * payload, so it may be hostile
	 */
	default void failed(String queue, String listener, @Nullable String exception, String message) {
	}

}
