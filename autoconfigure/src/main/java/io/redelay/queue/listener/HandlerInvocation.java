package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.AckMode;
import io.redelay.queue.HandlingTimeoutException;
import io.redelay.queue.listener.failure.Causes;
import io.redelay.queue.listener.failure.FailureText;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.scheduling.ScheduledTask;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One call of a handler, from the permit it was given to the end of all that it began.
 * Ends in its handler's return and the settlement of all its deliveries, in whatever
 * order.
 */
final class HandlerInvocation implements HandlingState {

	private static final Log logger = LogFactory.getLog(HandlerInvocation.class);

	private final List<Delivery> deliveries;

	private final InvocationContext context;

	private final InvocationListener listener;

	private final AtomicInteger open = new AtomicInteger(1);

	private final long start;

	/**
	 * Asks the error handler, if there is one.
	 */
	private @Nullable Recovery recovery;

	private Interception interception = Interception.NONE;

	/**
	 * The thread that called the handler, while it is on that errand.
	 */
	private volatile @Nullable Thread runner;

	private final HandlerThread thread = new HandlerThread();

	private @Nullable CompletionStage<?> result;

	/**
	 * The thread that settles what was handled, while it does.
	 */
	private volatile @Nullable Thread settler;

	/**
	 * Whether the handler is through, and each message is settled or its handler's to
	 * acknowledge.
	 */
	private volatile boolean over;

	private volatile @Nullable HandlingTimeoutException timeout;

	private @Nullable ScheduledTask limit;

	private final AtomicBoolean returned = new AtomicBoolean();

	private GuardedObservation observation = GuardedObservation.NONE;

	/**
	 * Whether the end comes while {@link #run()} is still on its way, which then keeps
	 * the permit for the next delivery.
	 */
	private boolean inRun = true;

	private boolean endedInRun;

	HandlerInvocation(List<Delivery> deliveries, InvocationContext context, InvocationListener listener) {
		this.context = context;
		this.start = context.executor().nanoTime();
		this.listener = listener;
		this.deliveries = new ArrayList<>(deliveries.size());
		for (Delivery delivery : deliveries) {
			delivery.handledBy(this);
			if (isOpened(delivery)) {
				this.deliveries.add(delivery);
			}
		}
	}

	private static boolean isOpened(Delivery delivery) {
		try {
			return delivery.open();
		}
		catch (Throwable ex) {
			delivery.undecided(ex);
			return false;
		}
	}

	/**
	 * Calls the handler. Whatever is thrown, by foreign code or our own, ends in the
	 * settlement of all deliveries.
	 * @return whether all is over, so that the permit is the caller's to use again;
	 * otherwise {@link InvocationListener#permitFreed()} is called later
	 */
	boolean run() {
		if (!this.deliveries.isEmpty()) {
			this.open.addAndGet(this.deliveries.size());
			this.runner = Thread.currentThread();
			try {
				this.recovery = this.context.recovery(this.deliveries.get(0).queue());
				this.interception = Interception.of(this.context.settings().interceptors(), this.deliveries);
				this.observation = this.context.observations().start(this.deliveries.get(0));
				this.limit = startLimit();
				call();
			}
			catch (Throwable ex) {
				undecided(ex);
			}
			this.runner = null;
		}
		end();
		synchronized (this) {
			this.inRun = false;
			return this.endedInRun;
		}
	}

	private void call() {
		this.thread.enter();
		CompletionStage<?> stage = null;
		Throwable failure = null;
		try (GuardedObservation.Scope scope = this.observation.openScope();
				DeliveryScope delivery = DeliveryScope.open()) {
			HandlingTimeoutException late = this.timeout;
			if (late != null) {
				// Nobody was here to be interrupted.
				throw late;
			}
			this.interception.before();
			this.context.logHandling(this.deliveries);
			stage = this.context.handler().handle(this.deliveries);
		}
		catch (Throwable ex) {
			failure = ex;
		}
		finally {
			this.thread.leave();
		}
		if (stage != null) {
			this.interception.clearThreadState();
			await(stage);
		}
		else {
			returned(failure);
			this.interception.clearThreadState();
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
			// Not whenComplete, which wraps the failure anew, and so prints it, on the
			// thread that completes the stage.
			stage.handle((value, thrown) -> {
				completed(thrown);
				return null;
			});
		}
		catch (Throwable ex) {
			returned(ex);
		}
	}

	/**
	 * What the handler returned is complete: whose thread this is nobody knows, nor
	 * whether it may block as error handlers and interceptors may.
	 */
	private void completed(@Nullable Throwable thrown) {
		boolean toldToNobody = !this.interception.isAwaited() && (thrown == null || this.recovery == null);
		if (toldToNobody || Thread.currentThread() == this.runner) {
			returned(thrown);
			return;
		}
		// When the application is closing there is no better thread than this one.
		this.context.executor().execute(() -> returned(thrown), () -> returned(thrown));
	}

	/**
	 * Ends what has not ended, when it cannot be worked out how it did.
	 */
	private void undecided(Throwable failure) {
		if (this.returned.compareAndSet(false, true)) {
			settleUndecided(failure);
			awaitSettlement();
		}
	}

	private void settleUndecided(Throwable failure) {
		this.deliveries.forEach((delivery) -> delivery.undecided(failure));
	}

	private void awaitSettlement() {
		this.deliveries.forEach((delivery) -> delivery.whenSettled(this::end));
	}

	private void returned(@Nullable Throwable thrown) {
		if (!this.returned.compareAndSet(false, true)) {
			return;
		}
		this.settler = Thread.currentThread();
		this.listener.handled((this.context.executor().nanoTime() - this.start) / this.deliveries.size());
		try {
			if (thrown == null) {
				succeeded();
			}
			else if (failed(Causes.unwrap(thrown))) {
				return;
			}
		}
		catch (Throwable ex) {
			settleUndecided(ex);
		}
		finally {
			this.settler = null;
		}
		this.over = true;
		awaitSettlement();
	}

	/**
	 * Whether a thread is on it, a future is awaited, or its handler may acknowledge at
	 * any time.
	 */
	@Override
	public boolean isUnderWay() {
		if (this.over || isAlive(this.runner) || isAlive(this.settler)) {
			return true;
		}
		CompletionStage<?> stage;
		synchronized (this) {
			stage = this.result;
		}
		return stage != null && !(stage instanceof Future<?> future && future.isDone());
	}

	private static boolean isAlive(@Nullable Thread thread) {
		return thread != null && thread.isAlive();
	}

	private void succeeded() {
		this.interception.after(this.timeout);
		this.observation.stop();
		if (this.context.settings().ackMode() == AckMode.AUTO) {
			Delivery.settleTogether(this.deliveries, Delivery::acknowledge);
		}
	}

	/**
	 * Settles what failed, or has each handled alone.
	 * @return whether each is handled alone, which is another handling
	 */
	private boolean failed(Throwable failure) {
		boolean alone = new FailedHandling(this.deliveries, this.context.listener(), this.recovery, this.interception,
				this.observation, this.thread)
			.settle(failure);
		this.observation.fail(failure);
		if (alone) {
			this.deliveries.forEach((delivery) -> end());
			this.listener.handleEachAlone(this.deliveries, failure);
		}
		return alone;
	}

	private @Nullable ScheduledTask startLimit() {
		Duration duration = this.context.maxHandlingTime(this.deliveries.get(0).queue());
		if (duration == null) {
			return null;
		}
		// When the application is closing, it does not wait for this handler for ever.
		return this.context.executor().schedule(() -> this.context.executor().execute(() -> timeOut(duration), () -> {
		}), duration.toNanos());
	}

	private void timeOut(Duration duration) {
		HandlingTimeoutException failure = new HandlingTimeoutException(duration);
		Delivery.settleTogether(this.deliveries, (delivery) -> delivery.failed(failure));
		CompletionStage<?> pending;
		synchronized (this) {
			this.timeout = failure;
			pending = this.result;
		}
		this.thread.interrupt();
		if (pending != null) {
			abandon(pending, failure);
		}
	}

	private void abandon(CompletionStage<?> pending, HandlingTimeoutException failure) {
		try {
			if (pending instanceof Future<?> future) {
				future.cancel(true);
			}
		}
		catch (Throwable ex) {
			FailureText.warn(logger, "What a handler of the listener '" + this.context.listener()
					+ "' returned cannot be cancelled, and is no longer waited for", ex);
		}
		returned(failure);
	}

	private void end() {
		if (this.open.decrementAndGet() > 0) {
			return;
		}
		if (this.limit != null) {
			this.limit.cancel();
		}
		synchronized (this) {
			if (this.inRun) {
				this.endedInRun = true;
				return;
			}
		}
		this.listener.permitFreed();
	}

}
