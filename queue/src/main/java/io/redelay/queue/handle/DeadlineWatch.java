package io.redelay.queue.handle;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.redelay.queue.work.DeadlinePassedException;
import io.redelay.scheduling.ScheduledTask;
import org.jspecify.annotations.Nullable;

/**
 * Ends the handling of messages whose deadlines pass meanwhile. In a batch only that
 * message ends, and the handler continues for the others; it is stopped when none is
 * left.
 */
final class DeadlineWatch {

	/**
	 * No handling takes longer, and timers cannot wait for ever.
	 */
	private static final Duration LONGEST = Duration.ofDays(3650);

	private final List<Delivery> deliveries;

	private final Consumer<DeadlinePassedException> stop;

	/**
	 * Runs callbacks of tokens.
	 */
	private final Executor callbacks;

	private final List<ScheduledTask> timers = new ArrayList<>();

	private DeadlineWatch(List<Delivery> deliveries, HandlerExecutor executor, Consumer<DeadlinePassedException> stop) {
		this.callbacks = (task) -> executor.execute(task, task);
		this.deliveries = deliveries;
		this.stop = stop;
	}

	/**
	 * Starts to wait for the deadlines of messages that are about to be handled.
	 * @param stop stops the handler, after all of its messages are settled
	 * @return the watch, or {@code null} if no message has a deadline
	 */
	static @Nullable DeadlineWatch start(List<Delivery> deliveries, HandlerExecutor executor,
			Consumer<DeadlinePassedException> stop) {
		DeadlineWatch watch = null;
		for (Delivery delivery : deliveries) {
			Instant deadline = delivery.claim().deadline();
			if (deadline != null) {
				watch = (watch != null) ? watch : new DeadlineWatch(List.copyOf(deliveries), executor, stop);
				watch.await(delivery, deadline, executor);
			}
		}
		return watch;
	}

	/**
	 * Returns how long it is until the deadline of a message.
	 * @return the time, or {@code null} if it is too long to wait for or there is no
	 * deadline
	 */
	static @Nullable Duration rest(Delivery delivery) {
		Instant deadline = delivery.claim().deadline();
		if (deadline == null) {
			return null;
		}
		Duration rest = Duration.between(delivery.claim().storeTime(), deadline);
		return (rest.compareTo(LONGEST) > 0) ? null : rest.isNegative() ? Duration.ZERO : rest;
	}

	private void await(Delivery delivery, Instant deadline, HandlerExecutor executor) {
		Duration rest = rest(delivery);
		if (rest == null) {
			return;
		}
		// If the application is closing, no timer waits for the deadline: the next
		// instance that claims the message finds that it has passed.
		ScheduledTask timer = executor.executeLater(() -> passed(delivery, deadline), rest);
		if (timer != null) {
			this.timers.add(timer);
		}
	}

	private void passed(Delivery delivery, Instant deadline) {
		DeadlinePassedException failure = new DeadlinePassedException(deadline);
		if (delivery.settlement().overdue(failure, this.callbacks)
				&& this.deliveries.stream().noneMatch((each) -> each.settlement().isWanted())) {
			this.stop.accept(failure);
		}
	}

	void cancel() {
		this.timers.forEach(ScheduledTask::cancel);
	}

}
