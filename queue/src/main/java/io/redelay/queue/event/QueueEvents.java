package io.redelay.queue.event;

import java.util.function.Consumer;

/**
 * Reports what happens to messages: in this instance, and in all instances that write to
 * the feed. For code that listens for a limited time; a bean that always listens can have
 * an {@code @EventListener} method for {@link MessageEvent} or {@link MessageEventBatch}
 * instead.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueEvents {

	/**
	 * Listens to the moves that this instance has made. What is thrown is logged. A
	 * listener may block: events that come meanwhile wait, and those that exceed
	 * {@code redelay.events.buffer} are dropped and counted.
	 * @param listener is called on one thread, which all local listeners share
	 * @return ends the listening
	 */
	Subscription subscribe(Consumer<MessageEvent> listener);

	/**
	 * Listens to the feed of all instances, from now on. Those write to it that have
	 * {@code redelay.events.feed.enabled=true}.
	 * @param listener is called on one thread, which all listeners to the feed share;
	 * what is thrown is logged
	 * @return ends the listening
	 */
	Subscription subscribeToFeed(Consumer<MessageEventBatch> listener);

	/**
	 * Listens to changes of queues as a whole: those that this instance makes, and those
	 * of other instances that have {@code redelay.events.feed.enabled=true}, from now on.
	 * @param listener is called on two threads, one for the changes that this instance
	 * makes, and one for those of others; what is thrown is logged
	 * @return ends the listening
	 */
	Subscription subscribeToQueues(Consumer<QueueEvent> listener);

	/**
	 * Returns how many events were dropped before a listener of this instance received
	 * them, because listeners were too slow.
	 * @return the number since the start
	 */
	long dropped();

	/**
	 * Returns how many events of this instance did not reach the feed, because there were
	 * more than could be written.
	 * @return the number since the start
	 */
	long droppedFromFeed();

	/**
	 * Ends a listening.
	 */
	@FunctionalInterface
	interface Subscription extends AutoCloseable {

		@Override
		void close();

	}

}
