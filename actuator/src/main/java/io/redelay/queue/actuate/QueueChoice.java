package io.redelay.queue.actuate;

import java.util.function.Predicate;

import io.redelay.queue.admin.QueueFigures;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueStatus;
import org.jspecify.annotations.Nullable;

/**
 * Which queues are listed: the parts of the status bar are these choices.
 */
enum QueueChoice {

	/**
	 * Those that are stopped, behind, or have a finding that is more than a note.
	 */
	TROUBLE((queue) -> queue.status() == QueueStatus.STOPPED || queue.status() == QueueStatus.BEHIND
			|| QueueOrder.isUrgent(queue)),

	/**
	 * Those in which messages arrive, are in hand, or were done lately.
	 */
	BUSY((queue) -> {
		QueueFigures figures = queue.diagnosis().figures();
		return queue.info().inFlight() > 0 || isPositive(figures.arrivalPerSecond())
				|| isPositive(figures.servicePerSecond());
	}),

	/**
	 * Those with messages that are not due yet.
	 */
	SCHEDULED((queue) -> queue.info().scheduled() > 0),

	/**
	 * Those with dead messages.
	 */
	DEAD((queue) -> queue.info().dead() > 0);

	@SuppressWarnings("ImmutableEnumChecker") // predicates of methods have no state
	private final Predicate<QueueSnapshot> predicate;

	QueueChoice(Predicate<QueueSnapshot> predicate) {
		this.predicate = predicate;
	}

	boolean chooses(QueueSnapshot queue) {
		return this.predicate.test(queue);
	}

	private static boolean isPositive(@Nullable Double value) {
		return value != null && value > 0;
	}

}
