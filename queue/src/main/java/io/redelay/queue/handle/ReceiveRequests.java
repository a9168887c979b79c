package io.redelay.queue.handle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.QueueException;
import io.redelay.queue.observation.GuardedObservation;
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

	private final ListenerHandling handling;

	private final HandlerPermits permits;

	private final Supplier<List<? extends DeliveryOwner>> owners;

	private final Runnable look;

	private final Deque<Request<?>> requests = new ArrayDeque<>();

	/**
	 * The timers that end the handling time of received messages that are not settled.
	 */
	private final Map<Delivery, HandlingLimits> limits = new ConcurrentHashMap<>();

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
	ReceiveRequests(String queue, ListenerHandling handling, HandlerPermits permits,
			Supplier<List<? extends DeliveryOwner>> owners, Runnable look) {
		this.queue = queue;
		this.handling = handling;
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
		Request<R> request = new Request<>(max, converter, once ? this.owners.get() : null);
		synchronized (this) {
			if (this.closed) {
				return null;
			}
			this.requests.addLast(request);
			updateDemand();
		}
		ScheduledTask end = this.handling.executor()
			.schedule(() -> timeOver(request), (once ? LONGEST_LOOK : wait).toNanos());
		synchronized (this) {
			request.end = end;
		}
		request.future.whenComplete((received, thrown) -> leave(request));
		this.look.run();
		return request.future;
	}

	private void updateDemand() {
		this.permits.demand(this.requests.stream().mapToInt((request) -> request.max).sum());
	}

	/**
	 * Removes a request whose future is complete, or that was cancelled.
	 */
	private void leave(Request<?> request) {
		synchronized (this) {
			if (request.end != null) {
				request.end.cancel();
			}
			if (this.requests.remove(request)) {
				updateDemand();
			}
		}
	}

	private void timeOver(Request<?> request) {
		Throwable thrown;
		synchronized (this) {
			if (!this.requests.remove(request)) {
				// Its messages are being converted, and none may fit.
				request.timeIsOver = true;
				return;
			}
			updateDemand();
			thrown = this.failure;
		}
		if (thrown != null) {
			run(() -> request.future.completeExceptionally(new QueueException(
					"Redis did not answer whether the queue '" + this.queue + "' has messages", thrown)));
		}
		else {
			run(() -> request.future.complete(List.of()));
		}
	}

	/**
	 * Completes a future on a thread that may block, as dependents of the future may
	 * block.
	 */
	private void run(Runnable completion) {
		this.handling.executor().execute(completion, completion);
	}

	@Override
	public void dispatch(List<Delivery> deliveries) {
		if (deliveries.isEmpty()) {
			return;
		}
		List<Request<?>> served = new ArrayList<>();
		List<Delivery> unwanted = new ArrayList<>();
		synchronized (this) {
			for (Delivery delivery : deliveries) {
				Request<?> first = this.requests.peekFirst();
				if (first == null) {
					unwanted.add(delivery);
					continue;
				}
				delivery.handledBy(() -> true);
				first.taken.add(delivery);
				if (first.taken.size() == 1) {
					served.add(first);
				}
				if (first.taken.size() == first.max) {
					this.requests.removeFirst();
				}
			}
			this.requests.removeAll(served);
			this.unsettled += deliveries.size() - unwanted.size();
			updateDemand();
		}
		served.forEach((request) -> request.taken
			.forEach((delivery) -> delivery.stages().whenSettled(() -> settled(delivery))));
		giveBack(unwanted);
		served.forEach((request) -> this.handling.executor().execute(() -> handOver(request), () -> {
			giveBack(request.taken);
			fail(request);
		}));
	}

	private void handOver(Request<?> request) {
		if (request.handOver(this::limit)) {
			return;
		}
		synchronized (this) {
			if (this.closed) {
				fail(request);
				return;
			}
			if (request.timeIsOver) {
				run(() -> request.future.complete(List.of()));
				return;
			}
			this.requests.addFirst(request);
			updateDemand();
		}
		if (request.future.isDone()) {
			leave(request);
		}
		this.look.run();
	}

	/**
	 * Ends the handling of a message when it has taken too long, or at its deadline.
	 */
	private void limit(Delivery delivery) {
		List<Delivery> alone = List.of(delivery);
		HandlingLimits started = HandlingLimits.start(alone, () -> delivery.isSettled() ? List.of() : alone,
				this.handling.maxHandlingTime(alone), this.handling.executor(), GuardedObservation.NONE, (failure) -> {
				});
		if (started != null) {
			this.limits.put(delivery, started);
		}
		if (delivery.isSettled()) {
			cancelLimit(delivery);
		}
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
		HandlingLimits limit = this.limits.remove(delivery);
		if (limit != null) {
			limit.cancel();
		}
	}

	@Override
	public void answered(DeliveryOwner owner) {
		List<Request<?>> over = new ArrayList<>();
		synchronized (this) {
			this.failure = null;
			this.requests.stream().filter((request) -> request.looked(owner)).forEach(over::add);
			if (this.requests.removeAll(over)) {
				updateDemand();
			}
		}
		over.forEach((request) -> run(() -> request.future.complete(List.of())));
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
		List<Request<?>> waiting;
		synchronized (this) {
			this.closed = true;
			waiting = List.copyOf(this.requests);
			this.requests.clear();
			updateDemand();
		}
		waiting.forEach(this::fail);
	}

	private void fail(Request<?> request) {
		run(() -> request.future.completeExceptionally(new QueueException(
				"The application ends, and receives no more of the queue '" + this.queue + "'", null)));
	}

	/**
	 * Gives deliveries back in one request, so that they keep their order.
	 */
	private static void giveBack(List<Delivery> deliveries) {
		if (!deliveries.isEmpty()) {
			BatchSettlement.settleTogether(deliveries, Delivery::giveBack);
		}
	}

	/**
	 * A request to receive messages. Guarded by the lock of the line, except for its
	 * future.
	 *
	 * @param <R> the type that a message is received as
	 */
	private static final class Request<R> {

		private final int max;

		private final Function<Delivery, R> converter;

		private final CompletableFuture<List<R>> future = new CompletableFuture<>();

		private final List<Delivery> taken = new ArrayList<>();

		/**
		 * The loops that have not looked for it yet; {@code null} if it waits for longer
		 * than one look.
		 */
		private final @Nullable Set<DeliveryOwner> looking;

		private @Nullable ScheduledTask end;

		/**
		 * Whether its time was over while its deliveries were converted.
		 */
		private boolean timeIsOver;

		Request(int max, Function<Delivery, R> converter, @Nullable List<? extends DeliveryOwner> looking) {
			this.max = max;
			this.converter = converter;
			this.looking = (looking != null) ? new HashSet<>(looking) : null;
		}

		/**
		 * Records that a loop has looked.
		 * @return whether all loops have, and it waits no longer
		 */
		boolean looked(DeliveryOwner owner) {
			if (this.looking == null) {
				return false;
			}
			this.looking.remove(owner);
			return this.looking.isEmpty();
		}

		/**
		 * Opens the deliveries that it has taken, and completes its future with those
		 * that can be converted.
		 * @param opened called with each that is handed over
		 * @return whether the request is over; if not, none of them could be handed over
		 */
		boolean handOver(Consumer<Delivery> opened) {
			List<Delivery> fitting = new ArrayList<>(this.taken.size());
			List<R> received = new ArrayList<>(this.taken.size());
			for (Delivery delivery : this.taken) {
				try {
					if (delivery.settlement().open()) {
						received.add(this.converter.apply(delivery));
						fitting.add(delivery);
					}
				}
				catch (RuntimeException ex) {
					delivery.conversionFailed(ex);
				}
				catch (Error ex) {
					delivery.settlement().undecided(ex);
				}
			}
			this.taken.clear();
			if (fitting.isEmpty()) {
				return this.future.isDone();
			}
			fitting.forEach(opened);
			if (!this.future.complete(received)) {
				giveBack(fitting);
			}
			return true;
		}

	}

}
