package io.redelay.queue.send;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.SendNotDurableException;
import io.redelay.queue.SendResult;
import io.redelay.queue.limits.QueueName;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.NextMessages;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.topic.TopicGroups;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.converter.MessageConverter;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

/**
 * Sends messages through a {@link QueueScripts}.
 *
 * @since 0.1.0
 */
public class QueueTemplate implements QueueOperations {

	private final SendSettings settings;

	private final MessagePreparer preparer;

	private final MessageTransmitter transmitter;

	private final Supplier<TopicTransmitter> topics;

	private volatile @Nullable TopicGroups topicGroups;

	private final DeliverySends deliveries;

	private final Executor callbacks;

	private volatile @Nullable AwaitedResults results;

	/**
	 * Creates a template.
	 * @param store the store
	 * @param converter converts payloads
	 * @param codec writes envelopes
	 * @param settings the limits
	 * @param partitions how many partitions queues have
	 * @param observation observes and logs sends
	 * @param callbacks where the futures of {@link #sendAsync} complete
	 * @param interceptors are around each send, the outermost first
	 */
	public QueueTemplate(QueueScripts store, MessageConverter converter, EnvelopeCodec codec, SendSettings settings,
			QueuePartitions partitions, SendObservation observation, Executor callbacks,
			List<SendInterceptor> interceptors) {
		this.settings = settings;
		this.preparer = new MessagePreparer(new MessageWriter(converter, codec, settings, observation.log()),
				observation.registry(), observation.convention(), new SendInterceptors(List.copyOf(interceptors)),
				partitions);
		this.transmitter = new MessageTransmitter(store, settings, partitions);
		this.topics = SingletonSupplier.of(() -> new TopicTransmitter(settings, groups()));
		this.deliveries = new DeliverySends(store, this.transmitter);
		this.callbacks = new CallbackExecutor(callbacks);
	}

	/**
	 * Sets a listener for each queue that is sent to for the first time, and now and then
	 * again, before the message is on its way.
	 * @param listener called with the queue's name, on the sender's thread
	 */
	public void setSendListener(Consumer<String> listener) {
		this.transmitter.setSendListener(listener);
	}

	/**
	 * Sets what manages the groups of topics, before the first message is published.
	 * @param groups the groups, which the listeners of the server share
	 */
	public void setTopicGroups(TopicGroups groups) {
		this.topicGroups = groups;
	}

	private TopicGroups groups() {
		TopicGroups present = this.topicGroups;
		if (present == null) {
			throw new UnsupportedOperationException("This QueueTemplate was made without access to topics");
		}
		return present;
	}

	/**
	 * Returns whether messages can be sent with the acknowledgement of one that is being
	 * handled.
	 * @param collected collects them
	 * @return whether that one is on the same server
	 */
	public boolean canSendWith(NextMessages collected) {
		return this.deliveries.canSendWith(collected);
	}

	@Override
	public SendResult send(Object payload) {
		return send(toDefaultQueue(payload));
	}

	@Override
	public CompletableFuture<SendResult> sendAsync(Object payload) {
		return sendAsync(toDefaultQueue(payload));
	}

	/**
	 * Addresses a payload to the default queue. An {@code OutboundMessage} that was
	 * passed as an object keeps its own queue.
	 */
	OutboundMessage toDefaultQueue(Object payload) {
		if (payload instanceof OutboundMessage message) {
			return message;
		}
		String queue = this.settings.defaultQueue();
		Assert.state(queue != null,
				"There is no default queue: set 'redelay.queue.send.default-queue', or name the queue,"
						+ " as in send(\"orders\", payload)");
		return OutboundMessage.to(queue, payload);
	}

	@Override
	public SendResult send(OutboundMessage message) {
		PreparedMessage prepared = this.preparer.prepare(message, Destination.QUEUE);
		SendResult deferred = defer(prepared, null);
		if (deferred != null) {
			return deferred;
		}
		SendResult result;
		try {
			result = MessageTransmitter.await(this.transmitter.transmit(prepared, false));
			SendNotDurableException shortfall = prepared.shortfall(result);
			if (shortfall != null) {
				throw shortfall;
			}
		}
		catch (RuntimeException ex) {
			prepared.failed(ex);
			throw ex;
		}
		prepared.sent(result);
		return result;
	}

	@Override
	public List<SendResult> sendAll(Collection<OutboundMessage> messages) {
		List<PreparedMessage> prepared = this.preparer.prepareAll(messages, Destination.QUEUE);
		List<PreparedMessage> now = new ArrayList<>(prepared.size());
		Map<String, SendResult> results = new HashMap<>(2 * prepared.size());
		for (PreparedMessage each : prepared) {
			SendResult deferred = defer(each, null);
			if (deferred != null) {
				results.put(each.uid(), deferred);
			}
			else {
				now.add(each);
			}
		}
		transmitAll(now, results, new HashMap<>());
		List<SendResult> inOrder = new ArrayList<>(prepared.size());
		for (PreparedMessage each : prepared) {
			inOrder.add(Objects.requireNonNull(results.get(each.uid())));
		}
		return Collections.unmodifiableList(inOrder);
	}

	@Override
	public CompletableFuture<SendResult> sendAsync(OutboundMessage message) {
		CompletableFuture<SendResult> result = new CompletableFuture<>();
		try {
			sendAsync(this.preparer.prepare(message, Destination.QUEUE), result);
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	private void sendAsync(PreparedMessage prepared, CompletableFuture<SendResult> result) {
		if (defer(prepared, result) == null) {
			sendNow(prepared, result);
		}
	}

	/**
	 * Sends a message that waits for nothing any more.
	 */
	CompletableFuture<SendResult> sendNow(PreparedMessage prepared, CompletableFuture<SendResult> result) {
		return complete(prepared, result, this.transmitter.transmit(prepared, true), prepared::sent,
				prepared::shortfall);
	}

	@Override
	public PublishResult publish(OutboundMessage message) {
		PreparedMessage prepared = this.preparer.prepare(message, Destination.TOPIC);
		TransactionalSends commit = awaitedCommit(prepared.message());
		if (commit != null) {
			commit.add(prepared, null);
			return prepared.publishEstimate();
		}
		PublishResult result;
		try {
			result = MessageTransmitter.await(this.topics.get().transmit(prepared, false));
		}
		catch (RuntimeException ex) {
			prepared.failed(ex);
			throw ex;
		}
		prepared.sent(result);
		return result;
	}

	@Override
	public CompletableFuture<PublishResult> publishAsync(OutboundMessage message) {
		CompletableFuture<PublishResult> result = new CompletableFuture<>();
		try {
			PreparedMessage prepared = this.preparer.prepare(message, Destination.TOPIC);
			TransactionalSends commit = awaitedCommit(prepared.message());
			if (commit != null) {
				commit.add(prepared, result);
			}
			else {
				publishNow(prepared, result);
			}
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	/**
	 * Publishes a message that waits for nothing any more.
	 */
	CompletableFuture<PublishResult> publishNow(PreparedMessage prepared, CompletableFuture<PublishResult> result) {
		return complete(prepared, result, this.topics.get().transmit(prepared, true), prepared::sent, (value) -> null);
	}

	PreparedMessage prepare(OutboundMessage message, Destination destination) {
		return this.preparer.prepare(message, destination);
	}

	/**
	 * Prepares messages that are stored elsewhere and sent later. Each is checked,
	 * converted and shown to the interceptors; a surrounding transaction makes no
	 * difference.
	 * @param messages the messages
	 * @return what to keep, in the same order
	 * @throws MessageSendException if one of them cannot be sent; the others are
	 * forgotten then
	 */
	public List<PreparedMessage> defer(Collection<OutboundMessage> messages) {
		return this.preparer.prepareAll(messages, Destination.QUEUE);
	}

	/**
	 * Prepares messages to topics that are stored elsewhere and published later.
	 * @param messages the messages
	 * @return what to keep, in the same order
	 * @throws MessageSendException if one of them cannot be published; the others are
	 * forgotten then
	 */
	public List<PreparedMessage> deferPublished(Collection<OutboundMessage> messages) {
		return this.preparer.prepareAll(messages, Destination.TOPIC);
	}

	/**
	 * Creates a sender of messages that {@link #defer} prepared, in whichever instance.
	 * @param window for how long a queue remembers what was sent to it, so that it is not
	 * added again
	 * @return it
	 */
	public DeferredSends deferredSends(Duration window) {
		return new DeferredSends(this.transmitter, this.topics, window);
	}

	/**
	 * Runs an action whenever the Redis of the queues answers again after an outage.
	 * @param action must be quick
	 */
	public void whenRedisIsBack(Runnable action) {
		this.transmitter.whenRedisIsBack(action);
	}

	@Override
	public <T> CompletableFuture<T> sendForResult(OutboundMessage message, Class<T> type) {
		AwaitedResults results = results();
		PreparedMessage prepared;
		try {
			prepared = this.preparer.prepare(message.resultTo(results.instance()), Destination.QUEUE);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		AwaitedResults.Wait<T> wait = results.prepare(message.queue(), prepared.id(), type);
		if (wait.future().isDone()) {
			prepared.abandon(new MessageSendException("No caller can wait for the result of the " + message, null));
			return wait.future();
		}
		CompletableFuture<SendResult> sent = new CompletableFuture<>();
		sent.whenComplete((result, failure) -> {
			if (failure == null) {
				wait.begin(result.id());
			}
			else {
				wait.fail(failure);
			}
		});
		try {
			sendAsync(prepared, sent);
		}
		catch (RuntimeException ex) {
			sent.completeExceptionally(ex);
		}
		return wait.future();
	}

	@Override
	public <T> CompletableFuture<T> result(String queue, String id, Class<T> type) {
		return results().await(QueueName.check(queue), id, type);
	}

	private AwaitedResults results() {
		AwaitedResults present = this.results;
		if (present == null) {
			throw new UnsupportedOperationException("This QueueTemplate was made without access to results");
		}
		return present;
	}

	/**
	 * Sets what waits for the results of messages.
	 * @param results waits for them
	 */
	public void setResults(AwaitedResults results) {
		this.results = results;
	}

	private <R> CompletableFuture<R> complete(PreparedMessage message, CompletableFuture<R> result,
			CompletableFuture<R> sent, Consumer<R> succeeded, Function<R, @Nullable Throwable> shortfalls) {
		sent.whenComplete((value, thrown) -> callBack(() -> {
			Throwable shortfall = (thrown == null) ? shortfalls.apply(value) : null;
			if (thrown == null && shortfall == null) {
				succeeded.accept(value);
				result.complete(value);
			}
			else {
				Throwable failure = (shortfall != null) ? shortfall
						: StoreException.cause(Objects.requireNonNull(thrown));
				message.failed(failure);
				result.completeExceptionally(failure);
			}
		}));
		return result;
	}

	/**
	 * Runs an action that completes a future: on a thread that may block, or on this one
	 * if there is none, so that no caller waits forever.
	 */
	void callBack(Runnable action) {
		try {
			this.callbacks.execute(action);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			action.run();
		}
	}

	/**
	 * Sends messages, those for one queue together.
	 * @param results gets the result of each message that was sent, by its uid
	 * @param failures gets why each other message was not, or may not have been
	 * @throws MessageSendException if some were not sent
	 */
	void transmitAll(List<PreparedMessage> messages, Map<String, SendResult> results,
			Map<String, MessageSendException> failures) {
		new BulkSend(this.transmitter, results, failures).send(messages);
	}

	/**
	 * Publishes messages.
	 * @param failures gets why each message was not published, or may not have been, by
	 * its uid
	 * @return what became of each other one, by its uid
	 */
	Map<String, PublishResult> publishAll(List<PreparedMessage> messages, Map<String, MessageSendException> failures) {
		return messages.isEmpty() ? Map.of() : this.topics.get().transmitAll(messages, failures);
	}

	/**
	 * Prepares messages that are not sent one by one.
	 * @param headers what each is sent with
	 */
	List<PreparedMessage> prepareAll(Collection<OutboundMessage> messages,
			Function<OutboundMessage, Map<String, Object>> headers, Consumer<List<PreparedMessage>> check) {
		return this.preparer.prepareAll(messages, Destination.QUEUE, headers, check);
	}

	/**
	 * Chooses the partitions of messages.
	 * @return the names that the store has for them, in the same order
	 */
	List<String> choose(List<PreparedMessage> messages) {
		return this.transmitter.choose(messages);
	}

	void sentTo(String partition) {
		this.transmitter.sentTo(partition);
	}

	@Nullable LengthLimit limit(String partition) {
		return this.transmitter.limit(partition);
	}

	/**
	 * Whether sends wait for the commit of the present transaction.
	 */
	boolean awaitsCommit() {
		return this.settings.afterCommit() && TransactionalSends.current(this) != null;
	}

	/**
	 * Leaves a message to the commit of the present transaction, or to the
	 * acknowledgement of the message that is being handled, or to both, one after the
	 * other.
	 * @param future completes when the message is sent; or at once if the send is left to
	 * an acknowledgement: a handler that waited for it would never acknowledge
	 * @return an estimate, or {@code null} if the message is to be sent now
	 */
	private @Nullable SendResult defer(PreparedMessage message, @Nullable CompletableFuture<SendResult> future) {
		NextMessages collected = collecting(message);
		TransactionalSends commit = awaitedCommit(message.message());
		if (collected == null) {
			if (commit != null) {
				commit.add(message, future);
			}
			return (commit != null) ? message.estimate() : null;
		}
		if (commit != null) {
			commit.addInDelivery(message, collected);
		}
		else {
			sendInDelivery(message, collected);
		}
		SendResult pending = message.pending();
		if (future != null) {
			callBack(() -> future.complete(pending));
		}
		return pending;
	}

	@Nullable NextMessages collecting(PreparedMessage message) {
		try {
			return this.deliveries.collecting(message.message());
		}
		catch (MessageSendException ex) {
			message.abandon(ex);
			throw ex;
		}
	}

	/**
	 * Sends a message with the acknowledgement of the message that is being handled.
	 * @throws MessageSendException if that is settled, or all would be too large
	 */
	void sendInDelivery(PreparedMessage message, NextMessages collected) {
		try {
			this.deliveries.add(message, collected, () -> callBack(() -> {
				message.kept();
				message.sent(message.pending());
			}), () -> callBack(() -> message.abandon(new MessageSendException(message.message()
					+ " was not sent: it was to be sent with an acknowledgement, and the message that was handled was not acknowledged",
					null))));
		}
		catch (MessageSendException ex) {
			message.abandon(ex);
			throw ex;
		}
	}

	private @Nullable TransactionalSends awaitedCommit(OutboundMessage message) {
		return wantsCommit(message) ? TransactionalSends.current(this) : null;
	}

	/**
	 * Whether a message waits for a commit if there is a transaction.
	 */
	boolean wantsCommit(OutboundMessage message) {
		Boolean chosen = message.sending().inTransaction();
		return (chosen != null) ? chosen : this.settings.afterCommit();
	}

}
