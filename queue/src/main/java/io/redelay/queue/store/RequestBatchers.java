package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

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
public final class RequestBatchers<T, R> {

	private final Function<String, RequestBatcher<T, R>> factory;

	private final Consumer<String> opened;

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
		this.opened = opened;
		this.factory = factory;
		this.idleNanos = idle.toNanos();
		this.scheduler = scheduler;
	}

	/**
	 * Sends messages.
	 * @param store the store
	 * @param maxWaiting how many messages to a queue wait at most; more are refused
	 * @param maxWaitingBytes how large all messages are together that Redis has not
	 * answered; more are refused
	 * @param limits how long a queue may be, if that is limited
	 * @param opened called with each queue that is sent to for the first time, or again
	 * after a long time
	 * @param requested called with the queue before each request leaves; must be quick
	 * @return the batchers
	 */
	public static RequestBatchers<NewMessage, SendReply> forSending(DelayQueueStore store, int maxWaiting,
			long maxWaitingBytes, Function<String, @Nullable LengthLimit> limits, Consumer<String> opened,
			Consumer<String> requested) {
		ByteBudget budget = new ByteBudget(maxWaitingBytes);
		return new RequestBatchers<>(
				(queue) -> new SendBatcher(store, queue, maxWaiting, limits.apply(queue), SenderMemory.RENEWAL,
						SenderMemory.RECOGNISED, budget, requested),
				opened, SenderMemory.LENGTH, store.replayMemory().scheduler());
	}

	/**
	 * Hands over messages that are kept elsewhere until their queue has them. Several
	 * instances may hand over a message, each with the same uid.
	 * @param store the store
	 * @param maxWaiting how many messages to a queue wait at most; more are refused
	 * @param limits how long a queue may be, if that is limited
	 * @param opened called with each queue that is sent to for the first time, or again
	 * after a long time
	 * @param handedOver for how long a queue remembers a uid, so that a repeated message
	 * is ignored
	 * @return the batchers
	 */
	public static RequestBatchers<NewMessage, SendReply> forHandingOver(DelayQueueStore store, int maxWaiting,
			Function<String, @Nullable LengthLimit> limits, Consumer<String> opened, Duration handedOver) {
		return new RequestBatchers<>(
				(queue) -> new SendBatcher(store, queue, maxWaiting, limits.apply(queue), handedOver), opened,
				SenderMemory.LENGTH, store.replayMemory().scheduler());
	}

	/**
	 * Creates batchers like these, with lanes of their own. Both share one limit on
	 * waiting bytes.
	 * @return the batchers
	 */
	public RequestBatchers<T, R> another() {
		return new RequestBatchers<>(this.factory, this.opened, Duration.ofNanos(this.idleNanos), this.scheduler);
	}

	/**
	 * Publishes messages.
	 * @param store the store
	 * @param maxWaiting how many messages to a topic wait at most; more are refused
	 * @param maxWaitingBytes how large all messages are together that Redis has not
	 * answered; more are refused
	 * @param limits how long the queue of a group may be, by its name in the store
	 * @param configured called with a topic before a lane is opened; completes when Redis
	 * has the configuration of the topic
	 * @return the batchers, one for each topic
	 */
	public static RequestBatchers<NewMessage, PublishReply> forPublishing(TopicStore store, int maxWaiting,
			long maxWaitingBytes, Function<String, @Nullable LengthLimit> limits,
			Function<String, CompletableFuture<Void>> configured) {
		ByteBudget budget = new ByteBudget(maxWaitingBytes);
		return new RequestBatchers<>(
				(topic) -> new PublishBatcher(store, topic, maxWaiting, limits, null, budget, configured), (topic) -> {
				}, SenderMemory.LENGTH, store.replayMemory().scheduler());
	}

	/**
	 * Publishes messages that are kept elsewhere until the groups have them. Several
	 * instances may publish a message, each with the same uid.
	 * @param store the store
	 * @param maxWaiting how many messages to a topic wait at most; more are refused
	 * @param limits how long the queue of a group may be, by its name in the store
	 * @param configured called with a topic before a lane is opened; completes when Redis
	 * has the configuration of the topic
	 * @param handedOver for how long a group remembers a uid, so that a repeated message
	 * is ignored
	 * @return the batchers, one for each topic
	 */
	public static RequestBatchers<NewMessage, PublishReply> forHandingOver(TopicStore store, int maxWaiting,
			Function<String, @Nullable LengthLimit> limits, Function<String, CompletableFuture<Void>> configured,
			Duration handedOver) {
		return new RequestBatchers<>((topic) -> new PublishBatcher(store, topic, maxWaiting, limits, handedOver,
				ByteBudget.unlimited(), configured), (topic) -> {
				}, SenderMemory.LENGTH, store.replayMemory().scheduler());
	}

	/**
	 * Gives commands on messages.
	 * @param factory makes the batcher of a queue
	 * @param scheduler the timer of the look for batchers that have nothing to do
	 * @return the batchers
	 */
	public static RequestBatchers<MessageCommand, CommandReply> forCommands(Function<String, CommandBatcher> factory,
			Scheduler scheduler) {
		return new RequestBatchers<>(factory::apply, (queue) -> {
		}, SenderMemory.LENGTH, scheduler);
	}

	/**
	 * Gives commands on bundles.
	 * @param store the store
	 * @return the batchers
	 */
	public static RequestBatchers<BundleCommand, BundleReply> forBundles(BundleStore store) {
		return new RequestBatchers<>((queue) -> new BundleBatcher(store, queue), (queue) -> {
		}, SenderMemory.LENGTH, store.replayMemory().scheduler());
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

	private void look() {
		this.batchers.forEach((queue, batcher) -> {
			if (batcher.retireIfIdle(this.idleNanos)) {
				this.batchers.remove(queue, batcher);
			}
		});
		this.lookScheduled.set(false);
		if (!this.batchers.isEmpty()) {
			lookLater();
		}
	}

}
