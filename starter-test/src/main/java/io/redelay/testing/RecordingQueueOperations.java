package io.redelay.testing;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageTiming;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import org.jspecify.annotations.Nullable;

/**
 * A {@link QueueOperations} that records messages and sends nothing, for tests without
 * Redis. Nothing is a duplicate, nothing waits for a transaction, and payloads are not
 * converted. The options of a message for Redis have no effect: one that is to be sent
 * {@link OutboundMessage#inDelivery() with an acknowledgement} is recorded at once, also
 * outside of a delivery, and no send waits for copies. {@link SentMessage#message()} has
 * the options.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RecordingQueueOperations implements QueueOperations {

	/**
	 * The queue that messages are recorded with that name none.
	 */
	public static final String DEFAULT_QUEUE = "default";

	private final SentMessages sent = new SentMessages();

	private final Deque<MessageSendException> failures = new ArrayDeque<>();

	private final Map<String, Function<OutboundMessage, ?>> answers = new ConcurrentHashMap<>();

	private final Map<List<String>, CompletableFuture<?>> results = new ConcurrentHashMap<>();

	private final AtomicLong number = new AtomicLong();

	private final InstantSource clock;

	/**
	 * Creates one with the clock of this machine.
	 */
	public RecordingQueueOperations() {
		this(InstantSource.system());
	}

	/**
	 * Creates one.
	 * @param clock the clock by which delayed messages are due
	 */
	public RecordingQueueOperations(InstantSource clock) {
		this.clock = clock;
	}

	/**
	 * Returns the sent messages.
	 * @return the messages sent so far, and later ones
	 */
	public SentMessages sent() {
		return this.sent;
	}

	/**
	 * Lets the next send fail, and one more for each further call of this method.
	 * @param failure the exception it throws
	 */
	public void failNext(MessageSendException failure) {
		synchronized (this.failures) {
			this.failures.add(failure);
		}
	}

	/**
	 * Sets the results of handlers of a queue, for {@link #sendForResult} from now on.
	 * @param queue the queue
	 * @param answer makes a result of a message; if it throws, the future fails with that
	 */
	public void answer(String queue, Function<OutboundMessage, ?> answer) {
		this.answers.put(queue, answer);
	}

	@Nullable Function<OutboundMessage, ?> answerOf(String queue) {
		return this.answers.get(queue);
	}

	@Override
	public SendResult send(Object payload) {
		return send(toDefaultQueue(payload));
	}

	@Override
	public CompletableFuture<SendResult> sendAsync(Object payload) {
		return sendAsync(toDefaultQueue(payload));
	}

	private static OutboundMessage toDefaultQueue(Object payload) {
		return (payload instanceof OutboundMessage message) ? message : OutboundMessage.to(DEFAULT_QUEUE, payload);
	}

	@Override
	public SendResult send(OutboundMessage message) {
		throwNextFailure();
		return note(message);
	}

	@Override
	public List<SendResult> sendAll(Collection<OutboundMessage> messages) {
		throwNextFailure();
		return messages.stream().map(this::note).toList();
	}

	@Override
	public CompletableFuture<SendResult> sendAsync(OutboundMessage message) {
		return completed(() -> send(message));
	}

	/**
	 * Records a published message as sent to a queue of the topic's name; the topic has
	 * no group.
	 */
	@Override
	public PublishResult publish(OutboundMessage message) {
		throwNextFailure();
		SendResult result = note(message);
		return new PublishResult(message.queue(), result.id(), result.due(), Map.of(), Set.of());
	}

	@Override
	public CompletableFuture<PublishResult> publishAsync(OutboundMessage message) {
		return completed(() -> publish(message));
	}

	/**
	 * Records the message as sent. The future completes with the {@link #answer} of the
	 * queue. Without one it never completes, as if no listener handled the message.
	 */
	@Override
	public <T> CompletableFuture<T> sendForResult(OutboundMessage message, Class<T> type) {
		CompletableFuture<T> result = new CompletableFuture<>();
		try {
			SendResult sent = send(message);
			this.results.put(List.of(sent.queue(), sent.id()), result);
			Function<OutboundMessage, ?> answer = this.answers.get(message.queue());
			if (answer != null) {
				result.complete(type.cast(answer.apply(message)));
			}
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
		return result.copy();
	}

	/**
	 * Gives the result of a message that {@link #sendForResult} sent; for others it never
	 * completes.
	 */
	@Override
	public <T> CompletableFuture<T> result(String queue, String id, Class<T> type) {
		CompletableFuture<?> result = this.results.getOrDefault(List.of(queue, id), new CompletableFuture<T>());
		return result.thenApply(type::cast);
	}

	private static <T> CompletableFuture<T> completed(Supplier<T> result) {
		try {
			return CompletableFuture.completedFuture(result.get());
		}
		catch (MessageSendException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void throwNextFailure() {
		synchronized (this.failures) {
			MessageSendException failure = this.failures.poll();
			if (failure != null) {
				throw failure;
			}
		}
	}

	private SendResult note(OutboundMessage message) {
		String id = (message.id() != null) ? message.id() : "recorded-" + this.number.incrementAndGet();
		SendResult result = new SendResult(message.queue(), id, due(message.timing()), false);
		this.sent.add(new SentMessage(message, result));
		return result;
	}

	private Instant due(MessageTiming timing) {
		if (timing.dueAt() != null) {
			return timing.dueAt();
		}
		Instant now = this.clock.instant();
		return (timing.delay() != null) ? now.plus(timing.delay()) : now;
	}

}
