package io.redelay.queue.handle;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.QueueException;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.DeadlinePassedException;
import io.redelay.queue.work.HandlingTimeoutException;
import io.redelay.scheduling.ScheduledTask;
import org.jspecify.annotations.Nullable;

/**
 * The requests to receive messages of a queue, in their order. The loops claim as many
 * messages as are requested. A message that arrives when no request is left goes back.
 * <p>
 * Safe for use by many threads.
 */
public final class ReceiveRequests implements DeliveryDispatcher {

	/**
	 * The longest time for one look. It usually takes one trip to Redis, but longer if
	 * the gate is closed here or Redis is away.
	 */
	private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);

	private final String queue;

	private final InvocationContext invocations;

	private final HandlerPermits permits;

	private final Supplier<List<? extends DeliveryOwner>> owners;

	private final Runnable look;

	private final Deque<PullRequest<?>> requests = new ArrayDeque<>();

	/**
	 * The timers that end the handling time of received messages that are not settled.
	 */
	private final Map<Delivery, ScheduledTask> limits = new ConcurrentHashMap<>();

	/**
	 * How many messages are received and not settled.
	 */
	private int unsettled;

	/**
	 * Why the last request to Redis was not answered, if it was not.
	 */
	private @Nullable Throwable failure;

	private boolean closed;

	/**
	 * Creates a line without requests.
	 * @param owners returns the loops that claim for the receivers
	 * @param look has them claim at once if there is room
	 */
	ReceiveRequests(String queue, InvocationContext invocations, HandlerPermits permits,
			Supplier<List<? extends DeliveryOwner>> owners, Runnable look) {
		this.queue = queue;
		this.invocations = invocations;
		this.permits = permits;
		this.owners = owners;
		this.look = look;
		permits.demand(0);
	}

	/**
	 * Adds a request.
	 * @return a future of the received messages, or {@code null} if the line is closed
	 */
	public <R> @Nullable CompletableFuture<List<R>> receive(int max, Duration wait, Function<Delivery, R> converter) {
		boolean once = wait.isZero();
		PullRequest<R> request = new PullRequest<>(max, converter, once ? this.owners.get() : null);
		synchronized (this) {
			if (this.closed) {
				return null;
			}
			this.requests.addLast(request);
			updateDemand();
		}
		ScheduledTask end = this.invocations.executor()
			.schedule(() -> timeOver(request), (once ? LONGEST_LOOK : wait).toNanos());
		synchronized (this) {
			request.endsWith(end);
		}
		request.future().whenComplete((received, thrown) -> leave(request));
		this.look.run();
		return request.future();
	}

	private void updateDemand() {
		this.permits.demand(this.requests.stream().mapToInt(PullRequest::max).sum());
	}

	/**
	 * Removes a request whose future is complete, or that was cancelled.
	 */
	private void leave(PullRequest<?> request) {
		synchronized (this) {
			request.cancelEnd();
			if (this.requests.remove(request)) {
				updateDemand();
			}
		}
	}

	private boolean remove(PullRequest<?> request) {
		synchronized (this) {
			boolean waited = this.requests.remove(request);
			updateDemand();
			return waited;
		}
	}

	private void timeOver(PullRequest<?> request) {
		Throwable thrown;
		synchronized (this) {
			thrown = this.failure;
		}
		if (!remove(request)) {
			// Its messages are being converted, and none may fit.
			synchronized (this) {
				request.timeIsOver();
			}
			return;
		}
		if (thrown != null) {
			run(() -> request.future()
				.completeExceptionally(new QueueException(
						"Redis did not answer whether the queue '" + this.queue + "' has messages", thrown)));
		}
		else {
			run(() -> request.future().complete(List.of()));
		}
	}

	/**
	 * Completes a future on a thread that may block, as dependents of the future may
	 * block.
	 */
	private void run(Runnable completion) {
		this.invocations.executor().execute(completion, completion);
	}

	@Override
	public void dispatch(List<Delivery> deliveries) {
		if (deliveries.isEmpty()) {
			return;
		}
		List<PullRequest<?>> served = new ArrayList<>();
		List<Delivery> unwanted = new ArrayList<>();
		synchronized (this) {
			for (Delivery delivery : deliveries) {
				PullRequest<?> first = this.requests.peekFirst();
				if (first == null) {
					unwanted.add(delivery);
					continue;
				}
				delivery.handledBy(() -> true);
				first.take(delivery);
				if (first.taken().size() == 1) {
					served.add(first);
				}
				if (first.isFull()) {
					this.requests.removeFirst();
				}
			}
			this.requests.removeAll(served);
			this.unsettled += deliveries.size() - unwanted.size();
			updateDemand();
		}
		served.forEach((request) -> request.taken()
			.forEach((delivery) -> delivery.stages().whenSettled(() -> settled(delivery))));
		PullRequest.giveBack(unwanted);
		served.forEach((request) -> this.invocations.executor().execute(() -> handOver(request), () -> {
			request.giveBack();
			fail(request);
		}));
	}

	private void handOver(PullRequest<?> request) {
		if (request.handOver(this::limit)) {
			return;
		}
		synchronized (this) {
			if (this.closed) {
				fail(request);
				return;
			}
			if (request.isTimeOver()) {
				run(() -> request.future().complete(List.of()));
				return;
			}
			this.requests.addFirst(request);
			updateDemand();
		}
		if (request.future().isDone()) {
			leave(request);
		}
		this.look.run();
	}

	/**
	 * Ends the handling of a message when it has taken too long, or at its deadline.
	 */
	private void limit(Delivery delivery) {
		Duration longest = this.invocations.maxHandlingTime(List.of(delivery));
		Instant deadline = delivery.claim().deadline();
		Duration rest = DeadlineWatch.rest(delivery);
		if (deadline != null && rest != null && (longest == null || rest.compareTo(longest) < 0)) {
			limit(delivery, rest,
					() -> delivery.settlement().overdue(new DeadlinePassedException(deadline), this::run));
		}
		else if (longest != null) {
			limit(delivery, longest, () -> timeOut(delivery, longest));
		}
	}

	private void limit(Delivery delivery, Duration time, Runnable end) {
		// Code of the application is called with the failure, and may block. If the
		// application is closing, the message goes back anyway.
		HandlerExecutor executor = this.invocations.executor();
		ScheduledTask limit = executor.schedule(() -> executor.execute(end, () -> {
		}), time.toNanos());
		if (limit != null) {
			this.limits.put(delivery, limit);
		}
		if (delivery.isSettled()) {
			cancelLimit(delivery);
		}
	}

	private void timeOut(Delivery delivery, Duration longest) {
		if (delivery.isSettled()) {
			return;
		}
		delivery.settlement().failed(new HandlingTimeoutException(longest));
		delivery.turn(CancellationReason.TIMED_OUT, this::run);
	}

	private void settled(Delivery delivery) {
		synchronized (this) {
			this.unsettled--;
		}
		cancelLimit(delivery);
	}

	/**
	 * Cancels the timer of a settled message, which the timer would otherwise keep.
	 */
	private void cancelLimit(Delivery delivery) {
		ScheduledTask limit = this.limits.remove(delivery);
		if (limit != null) {
			limit.cancel();
		}
	}

	@Override
	public void answered(DeliveryOwner owner) {
		List<PullRequest<?>> over = new ArrayList<>();
		synchronized (this) {
			this.failure = null;
			this.requests.stream().filter((request) -> request.looked(owner)).forEach(over::add);
			if (this.requests.removeAll(over)) {
				updateDemand();
			}
		}
		over.forEach((request) -> run(() -> request.future().complete(List.of())));
	}

	@Override
	public synchronized void failed(Throwable thrown) {
		this.failure = thrown;
	}

	/**
	 * Closes if no request is left, and all received messages are settled.
	 * @return whether it is closed
	 */
	public synchronized boolean closeIfIdle() {
		this.closed |= this.requests.isEmpty() && this.unsettled == 0;
		return this.closed;
	}

	/**
	 * Closes, and fails all requests.
	 */
	public void close() {
		List<PullRequest<?>> waiting;
		synchronized (this) {
			this.closed = true;
			waiting = List.copyOf(this.requests);
			this.requests.clear();
			updateDemand();
		}
		waiting.forEach(this::fail);
	}

	private void fail(PullRequest<?> request) {
		run(() -> request.future()
			.completeExceptionally(new QueueException(
					"The application ends, and receives no more of the queue '" + this.queue + "'", null)));
	}

}
