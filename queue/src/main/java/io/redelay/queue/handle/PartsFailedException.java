package io.redelay.queue.handle;

import java.util.Map;
import java.util.Set;

import io.redelay.queue.batch.BatchFailedException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a batch whose parts had a handler each. Deliveries that it does not name are
 * acknowledged, except parts to be handled alone or left to their handlers to
 * acknowledge.
 */
final class PartsFailedException extends BatchFailedException {

	private final transient Set<Delivery> alone;

	private final transient Set<Delivery> left;

	private final @Nullable Throwable undivided;

	/**
	 * Creates the exception.
	 * @param failures why deliveries failed, by their positions in the batch
	 * @param alone the parts whose handlers did not name the failed deliveries
	 * @param undivided the exception of the first of these handlers, if there is one
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
	 * Returns the failure to report.
	 */
	Throwable toReport() {
		return (this.undivided != null) ? this.undivided : this;
	}

}
