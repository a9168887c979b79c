package io.redelay.queue.batch;

import java.util.Collection;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;

/**
 * Settles messages of a batch one by one, several together, or all: a parameter of a
 * handler that takes a {@code List}, and for messages that a
 * {@link io.redelay.queue.work.QueueReceiver} received. The inherited methods settle all
 * messages that are not settled yet. For each message the first call counts; later ones,
 * and the container's own, do nothing. A message that is not settled when the method ends
 * is settled according to the {@link AckMode}, or to what the method throws.
 * <p>
 * Each call sends one request to Redis, at once. Messages are named by their positions in
 * the list as the handler was given it, or by the elements of the list. Several payloads
 * that gathered in one message are acknowledged when all of them are, and fail as soon as
 * one does.
 * <p>
 * May be called on any thread, also after the method has returned.
 *
 * @since 0.1.0
 */
public interface BatchAcknowledgment extends Acknowledgment {

	/**
	 * Returns how many elements the list has.
	 * @return the number
	 */
	int size();

	/**
	 * Returns what settles one message.
	 * @param position its position in the list as it was given, from 0
	 * @return what settles it
	 * @throws IllegalArgumentException if the list has no such position; nothing is
	 * settled then
	 */
	Acknowledgment at(int position);

	/**
	 * Returns what settles one message.
	 * @param element the element of the list, a payload or a message: this very object,
	 * or, if it is not in the list, the one that equals it
	 * @return what settles it
	 * @throws IllegalArgumentException if there is no such element, or more than one;
	 * nothing is settled then
	 */
	Acknowledgment of(Object element);

	/**
	 * Returns what settles several messages together.
	 * @param positions their positions in the list as it was given, from 0; one that is
	 * named twice counts once
	 * @return what settles them, and does nothing if there are no positions
	 * @throws IllegalArgumentException if the list has no such position; nothing is
	 * settled then
	 */
	Acknowledgment allAt(int... positions);

	/**
	 * Returns what settles several messages together.
	 * @param elements elements of the list, as of {@link #of(Object)}; one that is named
	 * twice counts once
	 * @return what settles them, and does nothing if there are no elements
	 * @throws IllegalArgumentException if there is no such element, or more than one;
	 * nothing is settled then
	 */
	Acknowledgment allOf(Collection<?> elements);

	/**
	 * Settles all messages together: those that a result names according to it, and the
	 * others are acknowledged. No error handler is called.
	 * @param result names those that are not acknowledged
	 * @throws IllegalArgumentException if the result names what is not in the list, or a
	 * message twice; nothing is settled then
	 */
	void settle(BatchResult result);

}
