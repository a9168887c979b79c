package io.redelay.queue.batch.engine;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.handle.Delivery;

import org.springframework.messaging.Message;

/**
 * The elements of the list that a handler of batches is given, and the deliveries that
 * they stand for: one each, or a single one in which all of them have gathered.
 *
 * @param elements the elements, in the order in which the handler is given them
 * @param deliveries the deliveries
 */
public record BatchElements(List<Object> elements, List<Delivery> deliveries) {

	public BatchElements {
		// The handler may sort its list, or remove elements.
		elements = List.copyOf(elements);
	}

	int size() {
		return this.elements.size();
	}

	/**
	 * Returns whether several elements stand for one delivery.
	 */
	boolean isAggregate() {
		return this.elements.size() != this.deliveries.size();
	}

	/**
	 * Returns a position if it is in the list.
	 * @throws IllegalArgumentException if not
	 */
	int checked(int position) {
		if (position < 0 || position >= size()) {
			throw new IllegalArgumentException(
					"There is no position " + position + " in a batch of " + size() + "; positions count from 0");
		}
		return position;
	}

	/**
	 * Returns the position of an element: of this very object, or else of the only one
	 * that equals it.
	 * @throws IllegalArgumentException if there is none, or more than one
	 */
	int positionOf(Object wanted) {
		int[] same = positions((each) -> each == wanted);
		int[] found = (same.length > 0) ? same : positions(wanted::equals);
		if (found.length == 1) {
			return found[0];
		}
		throw new IllegalArgumentException("A " + wanted.getClass().getName() + " was named, "
				+ ((found.length == 0) ? "which is no element of the batch of " + size()
						: "which is at " + found.length + " positions of the batch of " + size())
				+ "; name messages by their positions with at(…), allAt(…), failedAt(…), retriedAt(…) or rejectedAt(…)");
	}

	private int[] positions(Predicate<Object> wanted) {
		return IntStream.range(0, size()).filter((position) -> isWanted(this.elements.get(position), wanted)).toArray();
	}

	private static boolean isWanted(Object element, Predicate<Object> wanted) {
		return wanted.test(element) || (element instanceof Message<?> message && wanted.test(message.getPayload()));
	}

	/**
	 * Returns why deliveries failed, by their positions among the deliveries.
	 * @throws IllegalArgumentException if a result names what is not in the list, or a
	 * message twice
	 */
	Map<Integer, Throwable> failures(BatchResult result) {
		Map<Integer, Throwable> failures = result.failures(this::positionOf);
		failures.keySet().forEach(this::checked);
		return (isAggregate() && !failures.isEmpty()) ? Map.of(0, new TreeMap<>(failures).firstEntry().getValue())
				: failures;
	}

}
