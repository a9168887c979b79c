package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.delivery.DeliveryScope;
import io.redelay.delivery.GiveBackMessage;
import io.redelay.log.PlainLog;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.failure.Causes;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.script.NextMessages;
import io.redelay.queue.work.HandlingTimeoutException;
import io.redelay.queue.work.MessageStoppedException;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Settles the deliveries of an invocation after its handler failed. Before the settlement
 * it calls the error handler and the interceptors.
 *
 * @param deliveries the deliveries
 * @param listener the id of the listener
 * @param recovery calls the error handler; {@code null} if the queue has none
 * @param interception calls the interceptors
 * @param observation observes the invocation
 * @param thread the thread that calls the error handler
 * @param next collects the messages that the handler, or the error handler, sends with
 * the acknowledgement
 */
record FailedHandling(List<Delivery> deliveries, String listener, @Nullable Recovery recovery,
		Interception interception, GuardedObservation observation, HandlerThread thread, @Nullable NextMessages next) {

	private static final Log logger = PlainLog.of(FailedHandling.class);

	/**
	 * Settles all deliveries, unless the unsettled ones are to be handled each alone. If
	 * all but one of a batch were settled before, the failure is that one's. Cancelled
	 * messages end as cancelled, and are not handled alone.
	 * @return the deliveries to handle alone instead
	 */
	List<Delivery> settle(Throwable failure) {
		List<Delivery> open = this.deliveries.stream().filter((delivery) -> !delivery.isSettled()).toList();
		if (open.isEmpty()) {
			this.interception.after(failure);
			if (!(failure instanceof HandlingTimeoutException) && !(failure instanceof MessageStoppedException)
					&& !this.deliveries.stream().allMatch(Delivery::isGivenUp)) {
				FailureText.warn(logger, "A handler of the listener '" + this.listener + "' failed after its "
						+ this.deliveries.size() + " message(s) had been settled", failure);
			}
			return List.of();
		}
		Map<Integer, Throwable> named = named(this.deliveries.size(), failure);
		if (this.next != null && (named == null || !isAnyDone(named))) {
			// An error handler may send others.
			this.next.drop(true);
		}
		open.forEach((delivery) -> delivery.stages().handlerFailed());
		if (failure instanceof BatchParts.PartsFailedException parts && named != null) {
			settle(named::get, parts);
			return open.stream().filter(parts::isAlone).toList();
		}
		if (named != null) {
			settle(named::get, null);
			return List.of();
		}
		if (open.size() > 1 && !(failure instanceof MessageStoppedException)
				&& Causes.find(failure, QueueWaitException.class) == null) {
			this.interception.after(failure);
			List<Delivery> givenUp = open.stream().filter(Delivery::isGivenUp).toList();
			if (!givenUp.isEmpty()) {
				BatchSettlement.settleTogether(givenUp, (delivery) -> delivery.settlement().failed(failure));
			}
			return open.stream().filter((delivery) -> !delivery.isSettled()).toList();
		}
		settle((position) -> failure, null);
		return List.of();
	}

	/**
	 * Reports the failure of deliveries that were acknowledged before, so that nothing
	 * can be settled. The error handler is called all the same: failures that it recovers
	 * from are not reported.
	 */
	void lose(Throwable failure) {
		Map<Integer, Throwable> named = named(this.deliveries.size(), failure);
		IntFunction<@Nullable Throwable> failures = (named == null) ? (position) -> failure
				: (failure instanceof BatchParts.PartsFailedException parts)
						? (position) -> named.getOrDefault(position, left(parts, position)) : named::get;
		List<@Nullable Throwable> left = new ArrayList<>();
		try (HandlerThread.Call call = this.thread.enter(this.observation, null)) {
			for (int position = 0; position < this.deliveries.size(); position++) {
				Throwable thrown = failures.apply(position);
				left.add((thrown != null && this.recovery != null)
						? this.recovery.recover(this.deliveries.get(position), thrown) : thrown);
			}
		}
		for (int position = this.deliveries.size() - 1; position >= 0; position--) {
			Throwable each = left.get(position);
			this.interception.after(position, each);
			if (each != null) {
				this.deliveries.get(position).settlement().lost(each);
			}
		}
	}

	/**
	 * Returns the positions of the deliveries that a failure concerns: all, unless it
	 * names some.
	 * @param count how many deliveries there are
	 */
	static Set<Integer> positions(int count, Throwable failure) {
		Map<Integer, Throwable> named = named(count, failure);
		return (named != null) ? named.keySet() : IntStream.range(0, count).boxed().collect(Collectors.toSet());
	}

	/**
	 * Returns the failures by their positions, or {@code null} if they are not those of
	 * single deliveries of a batch.
	 */
	private static @Nullable Map<Integer, Throwable> named(int count, Throwable failure) {
		if (!(failure instanceof BatchFailedException parts)) {
			return null;
		}
		try {
			Map<Integer, Throwable> named = parts.getResult().failures((element) -> -1);
			return named.keySet().stream().allMatch((position) -> position >= 0 && position < count) ? named : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Returns whether a delivery is acknowledged while the named ones fail.
	 */
	private boolean isAnyDone(Map<Integer, Throwable> named) {
		return IntStream.range(0, this.deliveries.size())
			.anyMatch((position) -> !named.containsKey(position) && !this.deliveries.get(position).isSettled());
	}

	/**
	 * Calls the error handler for all failed deliveries before it settles any of them, so
	 * that one request settles all of them.
	 * @param failures why the delivery at a position failed, or {@code null} if it did
	 * not
	 * @param parts names the deliveries that are not settled now, if there are any
	 */
	private void settle(IntFunction<@Nullable Throwable> failures, BatchParts.@Nullable PartsFailedException parts) {
		List<Outcome> outcomes = outcomes(failures);
		for (int position = outcomes.size() - 1; position >= 0; position--) {
			Throwable left = outcomes.get(position).left();
			this.interception.after(position, (left != null) ? left : left(parts, position));
		}
		List<Outcome> ended = (parts == null) ? outcomes
				: outcomes.stream().filter((outcome) -> !parts.isOpen(outcome.delivery())).toList();
		BatchSettlement.gather(ended.stream().map(Outcome::delivery).toList(), () -> ended
			.forEach((outcome) -> outcome.delivery().settlement().ended(outcome.thrown(), outcome.left())));
	}

	/**
	 * Returns the failure to report for a delivery that is to be handled alone, or
	 * {@code null} for any other.
	 */
	private @Nullable Throwable left(BatchParts.@Nullable PartsFailedException parts, int position) {
		return (parts != null && parts.isAlone(this.deliveries.get(position))) ? parts.toReport() : null;
	}

	private List<Outcome> outcomes(IntFunction<@Nullable Throwable> failures) {
		if (this.recovery == null) {
			return allOutcomes(failures);
		}
		// Of a batch, some may be acknowledged and others not.
		NextMessages sent = (this.deliveries.size() == 1) ? this.next : null;
		try (HandlerThread.Call call = this.thread.enter(this.observation, sent)) {
			return allOutcomes(failures);
		}
	}

	private List<Outcome> allOutcomes(IntFunction<@Nullable Throwable> failures) {
		return IntStream.range(0, this.deliveries.size())
			.mapToObj((position) -> outcome(this.deliveries.get(position), failures.apply(position)))
			.toList();
	}

	/**
	 * Returns the outcome of a message. If its handling failed, this method calls the
	 * error handler first, unless there is none, the message is settled or was cancelled,
	 * its conversion failed, or it is to be given back.
	 */
	private Outcome outcome(Delivery delivery, @Nullable Throwable failure) {
		Throwable thrown = (failure != null) ? EarlyStops.unwrap(delivery.reason(), failure) : null;
		if (thrown == null || this.recovery == null || delivery.isSettled() || delivery.isGivenUp()
				|| thrown instanceof PayloadConversionException || thrown instanceof MessageStoppedException
				|| Causes.find(thrown, QueueWaitException.class) != null
				|| Causes.find(thrown, GiveBackMessage.class) != null) {
			return new Outcome(delivery, thrown, thrown);
		}
		return new Outcome(delivery, thrown, this.recovery.recover(delivery, thrown));
	}

	/**
	 * How the handling of one message ended.
	 *
	 * @param delivery the message
	 * @param thrown the exception of the handler, if it failed
	 * @param left the failure that is left after the error handler was called, or
	 * {@code null}
	 */
	private record Outcome(Delivery delivery, @Nullable Throwable thrown, @Nullable Throwable left) {

	}

	/**
	 * Calls the error handler of a queue after the handling of a message failed.
	 *
	 * @param errorHandler the error handler
	 * @param handler returns the message as it was handled
	 */
	record Recovery(QueueErrorHandler errorHandler, DeliveryHandler handler) {

		/**
		 * Calls the error handler for a message whose handling failed.
		 * @return the failure that is left, or {@code null} if the error handler threw
		 * nothing
		 */
		@Nullable Throwable recover(Delivery delivery, Throwable failure) {
			try {
				this.errorHandler.handle(message(delivery), failure);
				return null;
			}
			catch (Throwable ex) {
				Throwable left = Causes.unwrap(ex);
				if (!isAmongCauses(failure, left) && !isAmongCauses(left, failure)) {
					left.addSuppressed(failure);
				}
				return left;
			}
		}

		private Message<?> message(Delivery delivery) {
			try {
				return this.handler.message(delivery);
			}
			catch (RuntimeException ex) {
				// The message cannot be converted now: it is passed as it was sent.
				return delivery.message();
			}
		}

		private static boolean isAmongCauses(Throwable cause, Throwable failure) {
			return Causes.find(failure, (each) -> each == cause) != null;
		}

	}

	/**
	 * The thread on which the user's code runs for one handling, while it runs.
	 * <p>
	 * Safe for use by many threads.
	 */
	static final class HandlerThread {

		private @Nullable Thread thread;

		/**
		 * Whether nothing interrupts the thread, so that it enters and leaves without a
		 * lock.
		 */
		private boolean neverInterrupted;

		/**
		 * Called if nothing will interrupt the thread.
		 */
		void neverInterrupted() {
			this.neverInterrupted = true;
		}

		/**
		 * Enters the user's code, in the scopes of its observation and of its messages.
		 * @param sent collects the messages that the code sends with the acknowledgement;
		 * {@code null} for no collection of its own: see {@link DeliveryScope#open()}
		 */
		Call enter(GuardedObservation observation, @Nullable NextMessages sent) {
			change(Thread.currentThread());
			try {
				GuardedObservation.Scope observed = observation.openScope();
				DeliveryScope delivery = (sent != null) ? DeliveryScope.open(sent) : DeliveryScope.open();
				return () -> close(observed, delivery);
			}
			catch (Throwable ex) {
				leave();
				throw ex;
			}
		}

		private void close(GuardedObservation.Scope observed, DeliveryScope delivery) {
			try (observed) {
				delivery.close();
			}
			finally {
				leave();
			}
		}

		/**
		 * After this the thread is not interrupted for this handling any more. The
		 * interrupt flag is cleared, so a handler that interrupted its own thread does
		 * not stop later work there.
		 */
		private void leave() {
			change(null);
			Thread.interrupted();
		}

		private void change(@Nullable Thread entered) {
			if (this.neverInterrupted) {
				return;
			}
			synchronized (this) {
				this.thread = entered;
			}
		}

		synchronized void interrupt() {
			if (this.thread != null) {
				this.thread.interrupt();
			}
		}

		/**
		 * A call of the user's code.
		 */
		interface Call extends AutoCloseable {

			@Override
			void close();

		}

	}

}
