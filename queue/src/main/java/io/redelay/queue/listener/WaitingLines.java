package io.redelay.queue.listener;

import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The deliveries of a container that wait for a handler, in lines.
 * <p>
 * Guarded by the lock of the dispatcher.
 */
interface WaitingLines {

	/**
	 * Creates an object in which nothing waits.
	 * @param byKey whether a queue has a line for each fairness key
	 * @param ahead tells whether a queue before a queue may bring more at once
	 */
	static WaitingLines of(QueueOrder order, boolean byKey, Predicate<String> ahead) {
		return order.isPlain() ? new WaitingDeliveries(byKey) : new OrderedDeliveries(order, byKey, ahead);
	}

	int size();

	boolean isEmpty();

	/**
	 * Adds deliveries of one queue behind those of their lines.
	 */
	void addLast(List<Delivery> deliveries);

	/**
	 * Adds deliveries of one queue before those of their lines.
	 */
	void addFirst(List<Delivery> deliveries);

	/**
	 * Takes from the line whose turn it is.
	 * @param choice takes what is to be handled together from the deliveries of a line,
	 * the first of which is the one that waits longest; nothing if they are to wait for
	 * more, so that the turn is another one's
	 * @return what was taken; empty if no line has anything that is to be handled now
	 */
	List<Delivery> take(Function<Deque<Delivery>, List<Delivery>> choice);

	/**
	 * Returns the deliveries, those of each line in their order.
	 */
	List<Delivery> all();

	/**
	 * Removes and returns those that are chosen, those of each line in their order.
	 */
	List<Delivery> remove(Predicate<Delivery> chosen);

}
