package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.limits.GroupName;
import org.jspecify.annotations.Nullable;

/**
 * Publishes to a topic for all of an instance. Messages published while requests are on
 * the wire wait, and go together in the next one.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class PublishBatcher extends RequestBatcher<NewMessage, PublishReply> {

	private static final int MAX_MESSAGES = 1000;

	/**
	 * Creates a batcher, whose lanes are opened when they are first used.
	 * @param store the store
	 * @param topic the topic
	 * @param maxWaiting how many messages wait at most; more are refused
	 * @param limits how long the queue of a group may be, by its name in the store
	 */
	public PublishBatcher(TopicStore store, String topic, int maxWaiting,
			Function<String, @Nullable LengthLimit> limits) {
		this(store, topic, maxWaiting, limits, null, ByteBudget.unlimited(),
				(name) -> CompletableFuture.completedFuture(null));
	}

	/**
	 * Creates a batcher for messages that are kept elsewhere until the groups have them,
	 * and that several instances may publish, each with the same uid.
	 * @param store the store
	 * @param topic the topic
	 * @param maxWaiting how many messages wait at most; more are refused
	 * @param limits how long the queue of a group may be, by its name in the store
	 * @param handedOver for how long a group remembers a uid, so that a repeated message
	 * is ignored
	 */
	public PublishBatcher(TopicStore store, String topic, int maxWaiting,
			Function<String, @Nullable LengthLimit> limits, Duration handedOver) {
		this(store, topic, maxWaiting, limits, handedOver, ByteBudget.unlimited(),
				(name) -> CompletableFuture.completedFuture(null));
	}

	PublishBatcher(TopicStore store, String topic, int maxWaiting, Function<String, @Nullable LengthLimit> limits,
			@Nullable Duration handedOver, ByteBudget budget, Function<String, CompletableFuture<Void>> configured) {
		super(new BatcherSettings(GroupName.ofTopic(topic), Rollback.Lane.SENDER, MAX_MESSAGES, maxWaiting),
				new PublishTransport(store, topic, limits, handedOver, configured), budget, store.replayMemory());
	}

	/**
	 * Publishes messages, all or none; they come behind messages published in this way
	 * before.
	 * @param messages the messages
	 * @return what became of them
	 */
	public CompletableFuture<PublishReply> publish(List<NewMessage> messages) {
		return submit(messages, true);
	}

}
