package io.redelay.queue.handle;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.DeadlinePassedException;
import io.redelay.queue.work.HandlingTimeoutException;
import io.redelay.scheduling.ScheduledTask;
import org.jspecify.annotations.Nullable;

/**
 * Ends the handling of messages that takes too long, or whose deadlines pass meanwhile. A
 * deadline ends only the handling of its message, and the handler continues for the
 * others of its batch; it is stopped when none is left.
 *
 * @param deliveries the messages
 * @param own returns the messages to settle when the handling has taken too long
 * @param executor ends the handling, and runs callbacks of tokens
 * @param observation observes the handling
 * @param stop stops the handler, after all of its messages are settled
 * @param timers wait for the limits
 */
record HandlingLimits(List<Delivery> deliveries, Supplier<List<Delivery>> own, HandlerExecutor executor,
		GuardedObservation observation, Consumer<HandlingTimeoutException> stop, List<ScheduledTask> timers) {

	/**
	 * No handling takes longer, and timers cannot wait for ever.
	 */
	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Starts to wait for the limits of messages that are about to be handled.
	 * @param own returns the messages to settle when the handling has taken too long
	 * @param longest how long the handling may take, if that is limited
	 * @param executor ends the handling
	 * @param observation observes the handling
	 * @param stop stops the handler, after all of its messages are settled
	 * @return the limits, or {@code null} if the messages have none
	 */
	static @Nullable HandlingLimits start(List<Delivery> deliveries, Supplier<List<Delivery>> own,
			@Nullable Duration longest, HandlerExecutor executor, GuardedObservation observation,
			Consumer<HandlingTimeoutException> stop) {
		boolean limited = longest != null;
		for (Delivery delivery : deliveries) {
			limited |= delivery.claim().deadline() != null;
		}
		if (!limited) {
			return null;
		}
		HandlingLimits limits = new HandlingLimits(deliveries, own, executor, observation, stop, new ArrayList<>());
		if (longest != null) {
			limits.await(longest, () -> limits.timeOut(longest));
		}
		deliveries.forEach(limits::awaitDeadline);
		return limits;
	}

	private void awaitDeadline(Delivery delivery) {
		Instant deadline = delivery.claim().deadline();
		if (deadline != null) {
			Duration rest = Duration.between(delivery.claim().storeTime(), deadline);
			if (rest.compareTo(LONGEST) <= 0) {
				await(rest.isNegative() ? Duration.ZERO : rest, () -> passed(delivery, deadline));
			}
		}
	}

	/**
	 * Waits for a limit. If the application is closing, the limit has no effect: the
	 * application waits for the handler for a limited time anyway, and the next instance
	 * that claims the message finds that its deadline has passed.
	 */
	private void await(Duration time, Runnable end) {
		ScheduledTask timer = this.executor.executeLater(end, time);
		if (timer != null) {
			this.timers.add(timer);
		}
	}

	private void passed(Delivery delivery, Instant deadline) {
		DeadlinePassedException failure = new DeadlinePassedException(deadline);
		if (delivery.settlement().overdue(failure, this::runCallbacks)
				&& this.deliveries.stream().noneMatch((each) -> each.settlement().isWanted())) {
			this.stop.accept(failure);
		}
	}

	private void timeOut(Duration longest) {
		HandlingTimeoutException failure = new HandlingTimeoutException(longest);
		// Settled first: a handler that ends because its token turns must not have its
		// message given back, with no attempt counted.
		List<Delivery> late = this.own.get();
		if (late.isEmpty()) {
			return;
		}
		try (GuardedObservation.Scope scope = this.observation.openScope()) {
			BatchSettlement.settleTogether(late, (delivery) -> delivery.settlement().failed(failure));
		}
		late.forEach((delivery) -> delivery.turn(CancellationReason.TIMED_OUT, this::runCallbacks));
		this.stop.accept(failure);
	}

	/**
	 * Callbacks of the user must not delay the end of the handling.
	 */
	private void runCallbacks(Runnable callbacks) {
		this.executor.execute(callbacks, callbacks);
	}

	void cancel() {
		this.timers.forEach(ScheduledTask::cancel);
	}

}
