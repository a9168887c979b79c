package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.Comparator;

import io.redelay.queue.admin.QueueSnapshot;

/**
 * The orders in which queues are listed. Equal ones are ordered by name.
 */
enum QueueOrder {

	/**
	 * By status, the worst first, then by the urgency of the finding, then by how long
	 * messages wait.
	 */
	TROUBLE(Comparator.comparing(QueueSnapshot::status)
		.thenComparing((queue) -> urgency(queue))
		.thenComparing((queue) -> queue.info().oldestReadyAge())
		.thenComparing((queue) -> queue.info().dead())
		.reversed()),

	/**
	 * By name.
	 */
	NAME(Comparator.comparing(QueueSnapshot::queue)),

	/**
	 * By the number of ready messages, the highest first.
	 */
	READY(Comparator.<QueueSnapshot>comparingLong((queue) -> queue.info().ready()).reversed()),

	/**
	 * By the number of dead messages, the highest first.
	 */
	DEAD(Comparator.<QueueSnapshot>comparingLong((queue) -> queue.info().dead()).reversed()),

	/**
	 * By the age of the oldest ready message, the highest first.
	 */
	AGE(Comparator.<QueueSnapshot, Duration>comparing((queue) -> queue.info().oldestReadyAge()).reversed());

	@SuppressWarnings("ImmutableEnumChecker") // comparators of methods have no state
	private final Comparator<QueueSnapshot> comparator;

	QueueOrder(Comparator<QueueSnapshot> comparator) {
		this.comparator = comparator.thenComparing(QueueSnapshot::queue);
	}

	Comparator<QueueSnapshot> comparator() {
		return this.comparator;
	}

	/**
	 * Whether something stands in the way of a queue, or its messages die.
	 */
	static boolean isUrgent(QueueSnapshot queue) {
		return queue.diagnosis().trouble().isPresent();
	}

	private static int urgency(QueueSnapshot queue) {
		return queue.diagnosis().findings().stream().mapToInt((finding) -> switch (finding.severity()) {
			case CRITICAL -> 2;
			case WARNING -> 1;
			case INFO -> 0;
		}).max().orElse(0);
	}

}
