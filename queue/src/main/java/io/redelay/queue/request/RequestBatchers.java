package io.redelay.queue.request;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.scheduling.Scheduler;

/**
 * The batchers of an instance, one for each queue that is used. One that has had nothing
 * to do for as long as Redis remembers its lane is dropped: the lane would have to be
 * opened again in any case.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 * @since 0.1.0
 */
public final class RequestBatchers<T, R extends LaneReply<R>> {

	private final Function<String, RequestBatcher<T, R>> factory;

	private final Consumer<String> opened;

	private final int most;

	private final long idleNanos;

	private final Scheduler scheduler;

	private final ConcurrentMap<String, RequestBatcher<T, R>> batchers = new ConcurrentHashMap<>();

	private final AtomicBoolean lookScheduled = new AtomicBoolean();

	/**
	 * Creates batchers.
	 * @param factory makes one for a queue
	 * @param opened called with each queue for which a batcher was made
	 * @param idle how long a batcher stays that has nothing to do
	 * @param scheduler the timer of the look for batchers that have nothing to do
	 */
	RequestBatchers(Function<String, RequestBatcher<T, R>> factory, Consumer<String> opened, Duration idle,
			Scheduler scheduler) {
		this(factory, Integer.MAX_VALUE, opened, idle, scheduler);
	}

	private RequestBatchers(Function<String, RequestBatcher<T, R>> factory, int most, Consumer<String> opened,
			Duration idle, Scheduler scheduler) {
		this.most = most;
		this.opened = opened;
		this.factory = factory;
		this.idleNanos = idle.toNanos();
		this.scheduler = scheduler;
	}

	/**
	 * Creates batchers whose waiting items may be of any size together.
	 * @param protocols how the requests of a queue are made
	 * @param memory the requests that are remembered in case Redis goes back in time
	 */
	public RequestBatchers(Function<String, RequestProtocol<T, R>> protocols, ReplayMemory memory) {
		this(protocols, Long.MAX_VALUE, (queue) -> {
		}, memory);
	}

	/**
	 * Creates batchers.
	 * @param protocols how the requests of a queue are made
	 * @param maxWaitingBytes how large all items are together that Redis has not
	 * answered; more are refused
	 * @param opened called with each queue that is used for the first time, or again
	 * after a long time
	 * @param memory the requests that are remembered in case Redis goes back in time
	 */
	public RequestBatchers(Function<String, RequestProtocol<T, R>> protocols, long maxWaitingBytes,
			Consumer<String> opened, ReplayMemory memory) {
		this(new ByteBudget(maxWaitingBytes), protocols, opened, memory);
	}

	private RequestBatchers(ByteBudget budget, Function<String, RequestProtocol<T, R>> protocols,
			Consumer<String> opened, ReplayMemory memory) {
		this((queue) -> new RequestBatcher<>(protocols.apply(queue), budget, memory), opened, SenderMemory.LENGTH,
				memory.scheduler());
	}

	/**
	 * Creates batchers like these, with lanes of their own. Both share one limit on
	 * waiting bytes.
	 * @return the batchers
	 */
	public RequestBatchers<T, R> another() {
		return new RequestBatchers<>(this.factory, this.most, this.opened, Duration.ofNanos(this.idleNanos),
				this.scheduler);
	}

	/**
	 * Creates batchers like these, with lanes of their own, of which those that have
	 * nothing to do are dropped when there are too many. Those that have something to do
	 * stay, and those whose lanes remember requests in case Redis goes back in time:
	 * there are never more than that and these.
	 * @param number how many may have nothing to do
	 * @return the batchers
	 */
	public RequestBatchers<T, R> atMost(int number) {
		return new RequestBatchers<>(this.factory, number, this.opened, Duration.ofNanos(this.idleNanos),
				this.scheduler);
	}

	/**
	 * Gives items to the batcher of a queue, all for one request.
	 * @param queue the queue
	 * @param items the items
	 * @param inOrder whether they are carried out before later submissions, and after
	 * earlier ones in order
	 * @return the reply
	 */
	public CompletableFuture<R> submit(String queue, List<T> items, boolean inOrder) {
		CompletableFuture<R> reply = null;
		while (reply == null) {
			RequestBatcher<T, R> batcher = this.batchers.get(queue);
			if (batcher == null) {
				if (this.batchers.size() >= this.most) {
					dropIdle(0);
				}
				batcher = this.batchers.computeIfAbsent(queue, this.factory);
				lookLater();
				this.opened.accept(queue);
			}
			reply = batcher.submitUnlessRetired(items, inOrder);
			if (reply == null) {
				this.batchers.remove(queue, batcher);
			}
		}
		return reply;
	}

	int size() {
		return this.batchers.size();
	}

	private void lookLater() {
		if (!this.lookScheduled.get() && this.lookScheduled.compareAndSet(false, true)
				&& this.scheduler.schedule(this::look, this.idleNanos) == null) {
			this.lookScheduled.set(false);
		}
	}

	private void dropIdle(long nanos) {
		this.batchers.forEach((queue, batcher) -> {
			if (batcher.retireIfIdle(nanos)) {
				this.batchers.remove(queue, batcher);
			}
		});
	}

	private void look() {
		dropIdle(this.idleNanos);
		this.lookScheduled.set(false);
		if (!this.batchers.isEmpty()) {
			lookLater();
		}
	}

}
