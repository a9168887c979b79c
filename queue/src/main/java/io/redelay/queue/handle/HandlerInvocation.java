package io.redelay.queue.handle;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

import io.redelay.log.PlainLog;
import io.redelay.queue.AckMode;
import io.redelay.queue.failure.Causes;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.listener.Paused;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.script.NextMessages;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.HandlingCancelledException;
import io.redelay.queue.work.HandlingTimeoutException;
import io.redelay.queue.work.MessageStoppedException;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * One call of a handler for a delivery or a batch. The invocation has a permit from its
 * start to its end. It ends when the handler has returned and all its deliveries are
 * settled, in any order.
 * <p>
 * The methods on the way of a delivery stand first, in the order of their calls, from
 * {@link #run()}, which calls the interceptors and the handler, to the settlement of the
 * deliveries after the handler has returned and the end, which frees the permit.
 */
final class HandlerInvocation implements Delivery.Handling {

	private static final Log logger = PlainLog.of(HandlerInvocation.class);

	private static final int OPEN = 0;

	private static final int INTERRUPTING = 1;

	private static final int RETURNED = 2;

	private static final Duration LONGEST_CANCELLATION = Duration.ofSeconds(1);

	private List<Delivery> deliveries;

	private final ListenerHandling handling;

	private final MessageDispatcher dispatcher;

	/**
	 * How many parts of the invocation have not ended: {@link #run()} and each delivery.
	 * The invocation ends when there is none left.
	 */
	private final AtomicInteger open = new AtomicInteger();

	private final long start;

	/**
	 * Calls the error handler; {@code null} if the queue has none.
	 */
	private FailedHandling.@Nullable Recovery recovery;

	/**
	 * Collects the messages that the handler sends with the acknowledgement; {@code null}
	 * if nothing is to be handled.
	 */
	private @Nullable NextMessages next;

	private Interception interception = Interception.NONE;

	/**
	 * The thread that calls the handler, or {@code null} when it has left
	 * {@link #call(NextMessages)}. This, {@link #settler} and {@link #over} are not
	 * volatile, which would cost each message: the locks and the atomic operations behind
	 * each change publish it, and {@link #isUnderWay()} is asked again and again.
	 */
	private @Nullable Thread runner;

	private final FailedHandling.HandlerThread thread = new FailedHandling.HandlerThread();

	/**
	 * The deliveries that were acknowledged before the handler is called, or {@code null}
	 * if none were.
	 */
	private volatile @Nullable List<Delivery> acknowledged;

	/**
	 * The deliveries that are handled alone, by other invocations, after this one failed;
	 * {@code null} if none are.
	 */
	private volatile @Nullable Set<Delivery> handledAlone;

	private @Nullable CompletionStage<?> result;

	/**
	 * The thread that settles the deliveries, or {@code null} when none does so now.
	 */
	private @Nullable Thread settler;

	/**
	 * Whether the handler has ended, and each delivery is settled or is left to the
	 * handler to acknowledge.
	 */
	private boolean over;

	private volatile @Nullable HandlingTimeoutException timeout;

	/**
	 * Why the thread was interrupted, or the returned future cancelled, after the token
	 * turned; {@code null} if neither was.
	 */
	private volatile @Nullable CancellationReason interrupted;

	/**
	 * Interrupts the handler when the token turns; {@code null} if it is not to be
	 * interrupted.
	 */
	private CancellationToken.@Nullable Registration interruption;

	/**
	 * Ends the handling at the limits of the messages; {@code null} if they have none.
	 */
	private @Nullable HandlingLimits limits;

	/**
	 * {@link #OPEN}, {@link #INTERRUPTING} or {@link #RETURNED}. A thread leaves no
	 * handling while an interrupt of it is under way, so that none reaches the next one.
	 */
	private final AtomicInteger returned = new AtomicInteger(OPEN);

	/**
	 * Whether an administrator had the thread interrupted. Not volatile: it is set before
	 * {@link #returned} changes, and read after that.
	 */
	private boolean interruptedByHand;

	private GuardedObservation observation = GuardedObservation.NONE;

	HandlerInvocation(List<Delivery> deliveries, ListenerHandling handling, MessageDispatcher dispatcher) {
		this.handling = handling;
		this.start = handling.executor().nanoTime();
		this.dispatcher = dispatcher;
		this.deliveries = opened(deliveries);
		this.open.setPlain(1 + this.deliveries.size());
	}

	/**
	 * Returns the deliveries for which the handler may be called.
	 */
	private List<Delivery> opened(List<Delivery> deliveries) {
		if (deliveries.size() == 1) {
			return open(deliveries.get(0)) ? deliveries : List.of();
		}
		List<Delivery> opened = new ArrayList<>(deliveries.size());
		for (Delivery delivery : deliveries) {
			if (open(delivery)) {
				opened.add(delivery);
			}
		}
		return opened;
	}

	private boolean open(Delivery delivery) {
		delivery.handledBy(this);
		try {
			return delivery.settlement().open();
		}
		catch (Throwable ex) {
			delivery.settlement().undecided(ex);
			return false;
		}
	}

	/**
	 * Calls the handler. Whatever is thrown, by code of the user or of Redelay, leads to
	 * the settlement of all deliveries.
	 * @return whether the invocation has ended, so that the caller may use its permit
	 * again; if not, {@link MessageDispatcher#permitFreed()} is called later
	 */
	boolean run() {
		if (!this.deliveries.isEmpty()) {
			if (this.handling.settings().ackMode() == AckMode.BEFORE_HANDLING) {
				acknowledgeFirst();
			}
			else {
				handle();
			}
		}
		return isLastEnd();
	}

	/**
	 * Has the deliveries acknowledged, and continues on another thread when Redis has
	 * answered.
	 */
	private void acknowledgeFirst() {
		List<Delivery> first = List.copyOf(this.deliveries);
		this.acknowledged = first;
		Map<Delivery, CompletableFuture<Boolean>> answers = new LinkedHashMap<>();
		BatchSettlement.settleTogether(first,
				(delivery) -> answers.put(delivery, delivery.settlement().acknowledgeFirst()));
		CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
			.thenRun(() -> this.handling.executor()
				.execute(() -> handleAcknowledged(answers), () -> handleAcknowledged(answers)));
	}

	/**
	 * Calls the handler for the deliveries that are acknowledged. The others are, or may
	 * be, delivered to another instance.
	 */
	private void handleAcknowledged(Map<Delivery, CompletableFuture<Boolean>> answers) {
		List<Delivery> others = answers.entrySet()
			.stream()
			.filter((answer) -> !answer.getValue().join())
			.map(Map.Entry::getKey)
			.toList();
		if (!others.isEmpty()) {
			this.deliveries = this.deliveries.stream().filter((delivery) -> !others.contains(delivery)).toList();
			logger.warn(others.size() + " message(s) are not handled by the listener '" + this.handling.listener()
					+ "', for it is not known that they were acknowledged before: they are delivered again, or are lost");
		}
		if (!this.deliveries.isEmpty()) {
			handle();
		}
		others.forEach((delivery) -> end());
	}

	private void handle() {
		this.runner = Thread.currentThread();
		Delivery first = this.deliveries.get(0);
		NextMessages collected = new NextMessages(first.owner().store(), first.queue(), this.deliveries.size());
		this.next = collected;
		if (this.acknowledged != null) {
			// No acknowledgement is left that could carry messages.
			collected.drop(false);
		}
		try {
			this.observation = this.handling.observations().start(this.deliveries);
			for (Delivery delivery : this.deliveries) {
				delivery.stages().sends(collected);
				delivery.stages().observedBy(this.observation);
			}
			this.recovery = this.handling.recovery(first.queue());
			this.interception = Interception.of(this.handling.settings().interceptors(), this.deliveries);
			this.limits = HandlingLimits.start(this.deliveries, this::own,
					this.handling.maxHandlingTime(this.deliveries), this.handling.executor(), this.observation,
					this::stop);
			if (this.handling.interrupts(first.queue())) {
				this.interruption = Delivery.cancellation(this.deliveries).onCancel(this::interrupt);
			}
			if (this.limits == null && this.interruption == null) {
				this.thread.neverInterrupted();
			}
			call(collected);
		}
		catch (Throwable ex) {
			undecided(ex);
		}
		leave();
	}

	/**
	 * Ends the work of this thread. What the handler has returned may still be awaited.
	 */
	private void leave() {
		this.runner = null;
		if (this.returned.get() != RETURNED) {
			VarHandle.fullFence();
			while (this.returned.get() == INTERRUPTING) {
				Thread.onSpinWait();
			}
		}
		if (this.interruptedByHand) {
			Thread.interrupted();
		}
	}

	/**
	 * Records that the handling has ended, after an interrupt that is under way.
	 * @return whether it had not ended before
	 */
	private boolean isFirstReturn() {
		while (!this.returned.compareAndSet(OPEN, RETURNED)) {
			if (this.returned.get() == RETURNED) {
				return false;
			}
			Thread.onSpinWait();
		}
		if (this.interruptedByHand && Thread.currentThread() == this.runner) {
			this.interruptedByHand = false;
			Thread.interrupted();
		}
		return true;
	}

	private void call(NextMessages collected) {
		CompletionStage<?> stage = null;
		Throwable failure = null;
		try (FailedHandling.HandlerThread.Call call = this.thread.enter(this.observation, collected)) {
			HandlingTimeoutException late = this.timeout;
			if (late != null) {
				// The time limit passed before this thread could be interrupted.
				throw late;
			}
			CancellationReason turned = this.interrupted;
			if (turned != null) {
				throw new HandlingCancelledException(turned);
			}
			this.interception.before();
			this.handling.logHandling(this.deliveries);
			stage = this.handling.handler().handle(this.deliveries);
		}
		catch (Throwable ex) {
			failure = ex;
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
		else if (this.interrupted != null) {
			cancel(stage);
		}
		try {
			// Not whenComplete: it wraps the failure in a new exception, and so calls
			// toString() of the failure, on the thread that completes the stage.
			stage.handle((value, thrown) -> {
				if (value instanceof Paused paused) {
					completed(paused.toException());
					return null;
				}
				if (value != null && this.handling.settings().batch().size() == 1 && this.deliveries.size() == 1) {
					this.deliveries.get(0).returned(value);
				}
				completed(thrown);
				return null;
			});
		}
		catch (Throwable ex) {
			returned(ex);
		}
	}

	/**
	 * Continues after the future that the handler returned has completed. This may run on
	 * any thread, and it is unknown whether that thread may block, as error handlers and
	 * interceptors may. If one of them is to be called, a thread of the executor does so,
	 * unless this is still the thread that called the handler.
	 */
	private void completed(@Nullable Throwable thrown) {
		boolean callsNone = !this.interception.isAwaited() && (thrown == null || this.recovery == null);
		if (callsNone || Thread.currentThread() == this.runner) {
			returned(thrown);
			return;
		}
		// If the application is closing, the executor takes no task, and this thread has
		// to do it.
		this.handling.executor().execute(() -> returned(thrown), () -> returned(thrown));
	}

	private void returned(@Nullable Throwable thrown) {
		if (!isFirstReturn()) {
			return;
		}
		this.settler = Thread.currentThread();
		long nanos = this.handling.executor().nanoTime() - this.start;
		this.dispatcher.handled(nanos / this.deliveries.size());
		try {
			if (thrown == null) {
				succeeded();
				this.handling.observations()
					.record(this.deliveries, this.start, nanos,
							(position) -> ended(position, QueueProcessContext.HANDLED));
			}
			else {
				Throwable failure = EarlyStops.unwrap(this.deliveries.get(0).reason(), Causes.unwrap(thrown));
				failed(failure);
				this.handling.observations().record(this.deliveries, this.start, nanos, outcomes(failure));
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

	private void succeeded() {
		this.interception.after(this.timeout);
		this.observation.outcome(outcome());
		this.observation.stop();
		if (this.handling.settings().ackMode() == AckMode.AUTO) {
			BatchSettlement.settleTogether(this.deliveries, Delivery::acknowledge);
		}
	}

	/**
	 * Settles the deliveries after the handler failed, or has each delivery of a batch
	 * that is not settled handled alone.
	 */
	private void failed(Throwable failure) {
		boolean lost = this.acknowledged != null;
		FailedHandling failed = new FailedHandling(this.deliveries, this.handling.listener(), this.recovery,
				this.interception, this.observation, this.thread, lost ? null : this.next);
		List<Delivery> alone = List.of();
		// The log lines of the failure then name the trace.
		try (GuardedObservation.Scope scope = this.observation.openScope()) {
			if (lost) {
				failed.lose(failure);
			}
			else {
				alone = failed.settle(failure);
			}
		}
		if (lost) {
			this.observation.fail(toReport(failure));
			return;
		}
		String outcome = outcomeOfGivenUp();
		if (outcome == null && failure instanceof MessageStoppedException) {
			outcome = QueueProcessContext.STOPPED;
		}
		if (outcome != null) {
			this.observation.outcome(outcome);
			this.observation.stop();
		}
		else {
			this.observation.fail(toReport(failure));
		}
		if (!alone.isEmpty()) {
			this.handledAlone = Set.copyOf(alone);
			this.dispatcher.handleEachAlone(alone, toReport(failure));
		}
	}

	private void awaitSettlement() {
		for (Delivery delivery : this.deliveries) {
			if (isHandledAlone(delivery)) {
				end();
			}
			else {
				delivery.stages().whenSettled(this::end);
			}
		}
	}

	private void end() {
		if (isLastEnd()) {
			this.dispatcher.permitFreed();
		}
	}

	/**
	 * Ends a part of the invocation.
	 * @return whether it was the last one, so that the permit is free
	 */
	private boolean isLastEnd() {
		if (this.open.decrementAndGet() > 0) {
			return false;
		}
		List<Delivery> first = this.acknowledged;
		if (first != null) {
			first.forEach((delivery) -> delivery.stages().handled());
		}
		if (this.limits != null) {
			this.limits.cancel();
		}
		if (this.interruption != null) {
			this.interruption.remove();
		}
		if (this.next != null) {
			this.next.drop(false);
		}
		return true;
	}

	/**
	 * Settles all deliveries after a failure that left open how the handling ended,
	 * unless the handling has ended.
	 */
	private void undecided(Throwable failure) {
		if (isFirstReturn()) {
			settleUndecided(failure);
			awaitSettlement();
		}
	}

	private void settleUndecided(Throwable failure) {
		this.deliveries.forEach((delivery) -> delivery.settlement().undecided(failure));
	}

	/**
	 * Returns the deliveries that no other invocation has.
	 */
	private List<Delivery> own() {
		return (this.handledAlone == null) ? this.deliveries
				: this.deliveries.stream().filter((delivery) -> !isHandledAlone(delivery)).toList();
	}

	private boolean isHandledAlone(Delivery delivery) {
		Set<Delivery> others = this.handledAlone;
		return others != null && others.contains(delivery);
	}

	/**
	 * Returns how the handling of the delivery at a position ended after a failure, or
	 * {@code null} for one that is handled alone.
	 */
	private IntFunction<@Nullable String> outcomes(Throwable failure) {
		Set<Integer> failed = FailedHandling.positions(this.deliveries.size(), failure);
		String otherwise = (failure instanceof MessageStoppedException) ? QueueProcessContext.STOPPED
				: QueueProcessContext.FAILED;
		return (position) -> {
			if (isHandledAlone(this.deliveries.get(position))) {
				return null;
			}
			return ended(position, failed.contains(position) ? otherwise : QueueProcessContext.HANDLED);
		};
	}

	private String ended(int position, String usually) {
		String otherwise = this.deliveries.get(position).stages().endedAs();
		return (otherwise != null) ? otherwise : usually;
	}

	private String outcome() {
		String otherwise = null;
		for (Delivery delivery : this.deliveries) {
			otherwise = delivery.stages().endedAs();
			if (otherwise == null) {
				return QueueProcessContext.HANDLED;
			}
		}
		return String.valueOf(otherwise);
	}

	private static Throwable toReport(Throwable failure) {
		return (failure instanceof BatchParts.PartsFailedException parts) ? parts.toReport() : failure;
	}

	/**
	 * Returns the outcome if the end of the handling is no failure, whatever the handler
	 * threw.
	 */
	private @Nullable String outcomeOfGivenUp() {
		if (this.deliveries.stream().allMatch(Delivery::isCalledOff)) {
			return QueueProcessContext.CANCELLED;
		}
		return this.deliveries.stream().allMatch(Delivery::isGivenUp) ? QueueProcessContext.LOST : null;
	}

	/**
	 * Ends the handler early, as far as possible. On a shutdown the handler has time to
	 * end by itself; on a timeout it was ended before.
	 */
	private void interrupt(CancellationReason reason) {
		if (reason == CancellationReason.SHUTDOWN || reason == CancellationReason.TIMED_OUT) {
			return;
		}
		CompletionStage<?> pending;
		synchronized (this) {
			this.interrupted = reason;
			pending = this.result;
		}
		this.thread.interrupt();
		if (pending != null) {
			cancel(pending);
		}
	}

	/**
	 * Interrupts the handler, and waits no longer for its future.
	 */
	private void stop(HandlingTimeoutException failure) {
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
		cancel(pending);
		returned(failure);
	}

	private boolean cancel(CompletionStage<?> pending) {
		try {
			return pending instanceof Future<?> future && future.cancel(true);
		}
		catch (Throwable ex) {
			FailureText.warn(logger,
					"What a handler of the listener '" + this.handling.listener() + "' returned cannot be cancelled",
					ex);
			return false;
		}
	}

	/**
	 * Cancels on another thread, as what depends on the future is run there, and may
	 * block.
	 * @return whether it was cancelled, or is being cancelled for long
	 */
	private boolean cancelElsewhere(CompletionStage<?> pending) {
		CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
		Runnable task = () -> cancelled.complete(cancel(pending));
		if (!this.handling.executor().tryExecute(task)) {
			task.run();
		}
		return this.handling.executor()
			.scheduler()
			.limit(cancelled, LONGEST_CANCELLATION)
			.exceptionally((late) -> true)
			.join();
	}

	/**
	 * Returns whether the handling is under way: a thread works on it, a future is
	 * awaited, or the handler may acknowledge its messages at any time.
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

	@Override
	public @Nullable RunningHandling look() {
		Thread thread = worker();
		CompletionStage<?> stage;
		synchronized (this) {
			stage = this.result;
		}
		boolean works = isAlive(thread);
		if (!works && stage == null && !this.over) {
			// Redis has not answered yet that it is acknowledged before its handling.
			return null;
		}
		return new RunningHandling(this.handling.executor().nanoTime() - this.start, this.deliveries.size(),
				this.handling.settings().batch().size() > 1, works ? thread : null,
				(!works && !this.over && stage != null) ? stage.getClass() : null);
	}

	@Override
	public StackTraceElement[] stackTrace() {
		Thread thread = worker();
		if (thread == null || !isAlive(thread)) {
			return Delivery.NO_STACK;
		}
		StackTraceElement[] stack = thread.getStackTrace();
		VarHandle.fullFence();
		// Else it may be that of the next handling on the thread.
		return (worker() == thread) ? stack : Delivery.NO_STACK;
	}

	@Override
	public boolean interrupt() {
		if (!this.returned.compareAndSet(OPEN, INTERRUPTING)) {
			return false;
		}
		boolean interrupted = false;
		try {
			Thread thread = this.runner;
			if (thread != null && this.result == null) {
				this.interruptedByHand = true;
				thread.interrupt();
				interrupted = true;
			}
		}
		finally {
			this.returned.set(OPEN);
		}
		CompletionStage<?> pending;
		synchronized (this) {
			pending = this.result;
		}
		return (pending instanceof Future<?> && cancelElsewhere(pending)) || interrupted;
	}

	/**
	 * Returns the thread that handles, or that settles what a handler had returned.
	 */
	private @Nullable Thread worker() {
		Thread calling = this.runner;
		return isAlive(calling) ? calling : this.settler;
	}

	private static boolean isAlive(@Nullable Thread thread) {
		return thread != null && thread.isAlive();
	}

}
