package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.redelay.queue.AckMode;
import io.redelay.queue.BatchFailedException;
import io.redelay.queue.DeliveryScope;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueObservation;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.observation.QueueProcessConvention;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One call of a handler, from the permit it was given to the end of all that it began.
 * Ends in its handler's return and the settlement of all its deliveries, in whatever
 * order.
 */
final class Handling {

	private static final Log logger = LogFactory.getLog(Handling.class);

	private final List<Delivery> deliveries;

	private final QueueListenerContainer container;

	private final Runnable permitFreed;

	private final AtomicInteger open = new AtomicInteger(1);

	private final long start = System.nanoTime();

	/**
	 * Asks the error handler, if there is one.
	 */
	private @Nullable Recovery recovery;

	/**
	 * The thread that called the handler, while it is on that errand.
	 */
	private volatile @Nullable Thread runner;

	/**
	 * The thread on which the user's code runs now.
	 */
	private @Nullable Thread thread;

	private @Nullable CompletionStage<?> result;

	private volatile @Nullable HandlingTimeoutException timeout;

	private @Nullable ScheduledFuture<?> limit;

	private final AtomicBoolean returned = new AtomicBoolean();

	private GuardedObservation observation = GuardedObservation.NONE;

	/**
	 * Whether the end comes while {@link #run()} is still on its way, which then keeps
	 * the permit for the next delivery.
	 */
	private boolean inRun = true;

	private boolean endedInRun;

	Handling(List<Delivery> deliveries, QueueListenerContainer container, Runnable permitFreed) {
		this.container = container;
		this.permitFreed = permitFreed;
		this.deliveries = new ArrayList<>(deliveries.size());
		for (Delivery delivery : deliveries) {
			if (delivery.open()) {
				this.deliveries.add(delivery);
			}
		}
	}

	/**
	 * Calls the handler.
	 * @return whether all is over, so that the permit is the caller's to use again;
	 * otherwise {@code permitFreed} is called later
	 */
	boolean run() {
		if (!this.deliveries.isEmpty()) {
			this.open.addAndGet(this.deliveries.size());
			this.runner = Thread.currentThread();
			this.recovery = this.container.recovery(this.deliveries.get(0).queue());
			this.observation = startObservation();
			this.limit = startLimit();
			call();
			this.runner = null;
		}
		end();
		synchronized (this) {
			this.inRun = false;
			return this.endedInRun;
		}
	}

	private void call() {
		synchronized (this) {
			this.thread = Thread.currentThread();
		}
		CompletionStage<?> stage = null;
		Throwable failure = null;
		try (GuardedObservation.Scope scope = this.observation.openScope();
				DeliveryScope delivery = DeliveryScope.open()) {
			stage = this.container.handler().handle(this.deliveries);
		}
		catch (Throwable ex) {
			failure = ex;
		}
		finally {
			leaveThread();
		}
		if (stage != null) {
			await(stage);
		}
		else {
			returned(failure);
		}
	}

	private void await(CompletionStage<?> stage) {
		HandlingTimeoutException late;
		synchronized (this) {
			this.result = stage;
			late = this.timeout;
		}
		if (late != null) {
			abandon(stage, late);
		}
		try {
			stage.whenComplete((value, thrown) -> completed(thrown));
		}
		catch (Throwable ex) {
			returned(ex);
		}
	}

	/**
	 * What the handler returned is complete: whose thread this is nobody knows, nor
	 * whether it may block as an error handler may.
	 */
	private void completed(@Nullable Throwable thrown) {
		if (thrown == null || this.recovery == null || Thread.currentThread() == this.runner) {
			returned(thrown);
			return;
		}
		try {
			this.container.runtime().handlers().execute(() -> returned(thrown));
		}
		catch (RejectedExecutionException ex) {
			// The application is closing, and there is no better thread.
			returned(thrown);
		}
	}

	private void returned(@Nullable Throwable thrown) {
		if (!this.returned.compareAndSet(false, true)) {
			return;
		}
		this.container.capacity().handled((System.nanoTime() - this.start) / this.deliveries.size());
		if (thrown == null) {
			this.observation.stop();
			if (this.container.getSettings().ackMode() == AckMode.AUTO) {
				Delivery.settleTogether(this.deliveries, Delivery::acknowledge);
			}
		}
		else {
			Throwable failure = FailurePolicy.unwrap(thrown);
			boolean others = failed(failure);
			this.observation.fail(failure);
			if (others) {
				return;
			}
		}
		this.deliveries.forEach((delivery) -> delivery.whenSettled(this::end));
	}

	/**
	 * Settles what failed.
	 * @return whether it is handed to others instead
	 */
	private boolean failed(Throwable failure) {
		if (this.deliveries.stream().allMatch(Delivery::isSettled)) {
			if (failure == this.timeout) {
				return false;
			}
			FailureText.warn(logger, "A handler of the listener '" + this.container.getId() + "' failed after its "
					+ this.deliveries.size() + " message(s) had been settled", failure);
		}
		else if (failure instanceof BatchFailedException parts && areOurs(parts.getFailures().keySet())) {
			settleFailed((position) -> parts.getFailures().get(position));
		}
		else if (this.deliveries.size() > 1) {
			this.deliveries.forEach((delivery) -> end());
			this.container.handleEachAlone(this.deliveries, failure);
			return true;
		}
		else {
			settleFailed((position) -> failure);
		}
		return false;
	}

	/**
	 * Asks about all that failed before anything is settled, so that it is settled
	 * together.
	 * @param failures why the delivery at a position failed, or {@code null} if it did
	 * not
	 */
	private void settleFailed(IntFunction<@Nullable Throwable> failures) {
		List<Outcome> outcomes = (this.recovery != null) ? recover(failures) : outcomes(failures);
		this.deliveries.get(0).loop().gather(() -> outcomes.forEach(Outcome::settle));
	}

	private List<Outcome> recover(IntFunction<@Nullable Throwable> failures) {
		synchronized (this) {
			this.thread = Thread.currentThread();
		}
		try (GuardedObservation.Scope scope = this.observation.openScope();
				DeliveryScope delivery = DeliveryScope.open()) {
			return outcomes(failures);
		}
		finally {
			leaveThread();
		}
	}

	private List<Outcome> outcomes(IntFunction<@Nullable Throwable> failures) {
		return IntStream.range(0, this.deliveries.size())
			.mapToObj((position) -> Outcome.of(this.deliveries.get(position), failures.apply(position), this.recovery))
			.toList();
	}

	/**
	 * After this nobody interrupts the thread for this handling's sake; and a handler
	 * that interrupted its own thread must not stop what comes after it there.
	 */
	private void leaveThread() {
		synchronized (this) {
			this.thread = null;
		}
		Thread.interrupted();
	}

	private boolean areOurs(Set<Integer> positions) {
		return positions.stream().allMatch((position) -> position >= 0 && position < this.deliveries.size());
	}

	private @Nullable ScheduledFuture<?> startLimit() {
		Duration duration = this.container.settings(this.deliveries.get(0).queue()).maxHandlingTime();
		if (duration == null) {
			return null;
		}
		try {
			return this.container.runtime()
				.timer()
				.schedule(() -> this.container.runtime().handlers().execute(() -> timeOut(duration)),
						duration.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The application is closing, and does not wait for this handler for ever.
			return null;
		}
	}

	private void timeOut(Duration duration) {
		HandlingTimeoutException failure = new HandlingTimeoutException(duration);
		Delivery.settleTogether(this.deliveries, (delivery) -> delivery.failed(failure));
		CompletionStage<?> pending;
		synchronized (this) {
			this.timeout = failure;
			if (this.thread != null) {
				this.thread.interrupt();
			}
			pending = this.result;
		}
		if (pending != null) {
			abandon(pending, failure);
		}
	}

	private void abandon(CompletionStage<?> pending, HandlingTimeoutException failure) {
		if (pending instanceof Future<?> future) {
			future.cancel(true);
		}
		returned(failure);
	}

	private GuardedObservation startObservation() {
		if (this.container.runtime().observations().isNoop()) {
			return GuardedObservation.NONE;
		}
		Delivery first = this.deliveries.get(0);
		return GuardedObservation
			.start(() -> QueueObservation.PROCESS.observation(this.container.runtime().convention(),
					new QueueProcessConvention(), () -> new QueueProcessContext(first.queue(), first.id(),
							this.container.getId(), first.envelope().headers()),
					this.container.runtime().observations()));
	}

	private void end() {
		if (this.open.decrementAndGet() > 0) {
			return;
		}
		if (this.limit != null) {
			this.limit.cancel(false);
		}
		synchronized (this) {
			if (this.inRun) {
				this.endedInRun = true;
				return;
			}
		}
		this.permitFreed.run();
	}

}
