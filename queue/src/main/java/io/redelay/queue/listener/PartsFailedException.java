package io.redelay.queue.listener;

import java.util.Map;
import java.util.Set;

import io.redelay.queue.BatchFailedException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a batch of which handlers had a part each: what it does not name is
 * acknowledged, but for the parts that are to be handled alone, or are left to their
 * handlers to acknowledge.
 */
final class PartsFailedException extends BatchFailedException {

	private final transient Set<Delivery> alone;

	private final transient Set<Delivery> left;

	private final @Nullable Throwable undivided;

	/**
	 * Creates the exception.
	 * @param failures why deliveries failed, by their positions in the batch
	 * @param alone the parts whose handlers did not say which deliveries failed
	 * @param undivided what the first of these handlers threw, if there is one
	 * @param left the parts whose handlers are still to acknowledge
	 */
	PartsFailedException(Map<Integer, Throwable> failures, Set<Delivery> alone, @Nullable Throwable undivided,
			Set<Delivery> left) {
		super(failures);
		this.alone = alone;
		this.undivided = undivided;
		this.left = left;
	}

	/**
	 * Returns the same with other positions.
	 */
	PartsFailedException at(Map<Integer, Throwable> failures) {
		return new PartsFailedException(failures, this.alone, this.undivided, this.left);
	}

	/**
	 * Returns whether a delivery is to be handled alone.
	 */
	boolean isAlone(Delivery delivery) {
		return this.alone.contains(delivery);
	}

	/**
	 * Returns whether a delivery is neither acknowledged nor failed by this exception.
	 */
	boolean isOpen(Delivery delivery) {
		return this.alone.contains(delivery) || this.left.contains(delivery);
	}

	/**
	 * Returns what is to be told of this failure.
	 */
	Throwable told() {
		return (this.undivided != null) ? this.undivided : this;
	}

}
