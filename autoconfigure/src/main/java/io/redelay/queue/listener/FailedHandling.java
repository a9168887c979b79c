package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.BatchFailedException;
import io.redelay.queue.HandlingTimeoutException;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.listener.failure.Causes;
import io.redelay.queue.listener.failure.FailureText;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.store.NextMessages;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Settles the deliveries of an invocation after its handler failed. Before the settlement
 * it calls the error handler, and tells the interceptors.
 */
final class FailedHandling {

	private static final Log logger = LogFactory.getLog(FailedHandling.class);

	private final List<Delivery> deliveries;

	private final String listener;

	private final @Nullable Recovery recovery;

	private final Interception interception;

	private final GuardedObservation observation;

	private final HandlerThread thread;

	/**
	 * Collects what the error handler sends with the acknowledgement.
	 */
	private final @Nullable NextMessages next;

	FailedHandling(List<Delivery> deliveries, String listener, @Nullable Recovery recovery, Interception interception,
			GuardedObservation observation, HandlerThread thread, @Nullable NextMessages next) {
		this.deliveries = deliveries;
		this.listener = listener;
		this.recovery = recovery;
		this.interception = interception;
		this.observation = observation;
		this.thread = thread;
		// Of a batch, some may be acknowledged and others not.
		this.next = (deliveries.size() == 1) ? next : null;
	}

	/**
	 * Settles all deliveries, unless each of them is to be handled alone.
	 * @return whether each is to be handled alone instead
	 */
	boolean settle(Throwable failure) {
		if (this.deliveries.stream().allMatch(Delivery::isSettled)) {
			this.interception.after(failure);
			if (!(failure instanceof HandlingTimeoutException)) {
				FailureText.warn(logger, "A handler of the listener '" + this.listener + "' failed after its "
						+ this.deliveries.size() + " message(s) had been settled", failure);
			}
			return false;
		}
		if (failure instanceof BatchFailedException parts && areOurs(parts.getFailures().keySet())) {
			settle((position) -> parts.getFailures().get(position));
			return false;
		}
		if (this.deliveries.size() > 1 && Causes.find(failure, QueueWaitException.class) == null) {
			this.interception.after(failure);
			return true;
		}
		settle((position) -> failure);
		return false;
	}

	/**
	 * Reports the failure of deliveries that were acknowledged before, so that nothing
	 * can be settled. The error handler is asked all the same: what it deals with is not
	 * reported.
	 */
	void lose(Throwable failure) {
		IntFunction<@Nullable Throwable> failures = (failure instanceof BatchFailedException parts
				&& areOurs(parts.getFailures().keySet())) ? (position) -> parts.getFailures().get(position)
						: (position) -> failure;
		List<@Nullable Throwable> left = new ArrayList<>();
		this.thread.enter();
		try (GuardedObservation.Scope scope = this.observation.openScope();
				DeliveryScope delivery = DeliveryScope.open()) {
			for (int position = 0; position < this.deliveries.size(); position++) {
				Throwable thrown = failures.apply(position);
				left.add((thrown != null && this.recovery != null)
						? this.recovery.recover(this.deliveries.get(position), thrown) : thrown);
			}
		}
		finally {
			this.thread.leave();
		}
		for (int position = this.deliveries.size() - 1; position >= 0; position--) {
			Throwable each = left.get(position);
			this.interception.after(position, each);
			if (each != null) {
				this.deliveries.get(position).lost(each);
			}
		}
	}

	private boolean areOurs(Set<Integer> positions) {
		return positions.stream().allMatch((position) -> position >= 0 && position < this.deliveries.size());
	}

	/**
	 * Calls the error handler for all failed deliveries before it settles any of them, so
	 * that one request settles all of them.
	 * @param failures why the delivery at a position failed, or {@code null} if it did
	 * not
	 */
	private void settle(IntFunction<@Nullable Throwable> failures) {
		List<Outcome> outcomes = (this.recovery != null) ? recover(failures) : outcomes(failures);
		for (int position = outcomes.size() - 1; position >= 0; position--) {
			this.interception.after(position, outcomes.get(position).left());
		}
		this.deliveries.get(0).owner().gather(() -> outcomes.forEach(FailedHandling::settle));
	}

	/**
	 * Settles one delivery. If that fails, the other deliveries are settled nevertheless.
	 */
	private static void settle(Outcome outcome) {
		try {
			outcome.settle();
		}
		catch (Throwable ex) {
			outcome.delivery().undecided(ex);
		}
	}

	private List<Outcome> recover(IntFunction<@Nullable Throwable> failures) {
		this.thread.enter();
		try (GuardedObservation.Scope scope = this.observation.openScope();
				DeliveryScope delivery = (this.next != null) ? DeliveryScope.open(this.next) : DeliveryScope.open()) {
			return outcomes(failures);
		}
		finally {
			this.thread.leave();
		}
	}

	private List<Outcome> outcomes(IntFunction<@Nullable Throwable> failures) {
		return IntStream.range(0, this.deliveries.size())
			.mapToObj((position) -> Outcome.of(this.deliveries.get(position), failures.apply(position), this.recovery))
			.toList();
	}

}
