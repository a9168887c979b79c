package io.redelay.queue.handle;

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
	 * Creates empty lines.
	 * @param byKey whether a queue has a line for each fairness key
	 * @param ahead returns whether a queue before a queue may bring more messages at once
	 */
	static WaitingLines of(QueueOrder order, boolean byKey, Predicate<String> ahead) {
		return order.isPlain() ? new WaitingDeliveries(byKey) : new OrderedDeliveries(order, byKey, ahead);
	}

	int size();

	boolean isEmpty();

	/**
	 * Adds deliveries of one queue at the end of their lines.
	 */
	void addLast(List<Delivery> deliveries);

	/**
	 * Adds deliveries of one queue at the front of their lines.
	 */
	void addFirst(List<Delivery> deliveries);

	/**
	 * Takes from the line whose turn it is.
	 * @param choice takes the deliveries to handle together from a line, whose first has
	 * waited longest; none if they are to wait for more, so that another line has the
	 * turn
	 * @return the taken deliveries; empty if no line has any to handle now
	 */
	List<Delivery> take(Function<Deque<Delivery>, List<Delivery>> choice);

	/**
	 * Returns the deliveries, those of each line in their order.
	 */
	List<Delivery> all();

	/**
	 * Removes and returns the chosen deliveries, those of each line in their order.
	 */
	List<Delivery> remove(Predicate<Delivery> chosen);

}
