package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueObservation;
import io.redelay.queue.observation.QueueSendContext;
import io.redelay.queue.observation.QueueSendConvention;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.OutcomeUnknownException;
import io.redelay.queue.store.SendLane;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.Uids;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.converter.MessageConverter;

/**
 * Sends messages through a {@link DelayQueueStore}.
 *
 * @since 0.1.0
 */
public class QueueTemplate implements QueueOperations {

	private final DelayQueueStore store;

	private final MessageWriter writer;

	private final SendSettings settings;

	private final ObservationRegistry observations;

	private final @Nullable QueueSendConvention convention;

	private final Executor callbacks;

	private final SendInterceptors interceptors;

	private final Uids uids = new Uids();

	private final ConcurrentMap<String, SendLane> lanes = new ConcurrentHashMap<>();

	/**
	 * Creates a template that is neither observed nor intercepted.
	 * @param store the store
	 * @param converter converts payloads
	 * @param codec writes envelopes
	 * @param settings the limits
	 */
	public QueueTemplate(DelayQueueStore store, MessageConverter converter, EnvelopeCodec codec,
			SendSettings settings) {
		this(store, converter, codec, settings, ObservationRegistry.NOOP, null, ForkJoinPool.commonPool(), List.of(),
				null);
	}

	/**
	 * Creates a template.
	 * @param store the store
	 * @param converter converts payloads
	 * @param codec writes envelopes
	 * @param settings the limits
	 * @param observations observes sends
	 * @param convention names the observations, or {@code null} for the usual names
	 * @param callbacks where the futures of {@link #sendAsync} complete
	 * @param interceptors are around each send, the outermost first
	 * @param log logs what is sent, or {@code null} if nothing does
	 */
	public QueueTemplate(DelayQueueStore store, MessageConverter converter, EnvelopeCodec codec, SendSettings settings,
			ObservationRegistry observations, @Nullable QueueSendConvention convention, Executor callbacks,
			List<SendInterceptor> interceptors, @Nullable MessageLog log) {
		this.store = store;
		this.writer = new MessageWriter(converter, codec, settings.maxMessageSize(), log);
		this.settings = settings;
		this.observations = observations;
		this.convention = convention;
		this.callbacks = callbacks;
		this.interceptors = new SendInterceptors(List.copyOf(interceptors));
	}

	@Override
	public SendResult send(String queue, Object payload) {
		return send(OutboundMessage.to(queue, payload));
	}

	@Override
	public SendResult send(String queue, Object payload, Duration delay) {
		return send(OutboundMessage.to(queue, payload).delay(delay));
	}

	@Override
	public SendResult sendAt(String queue, Object payload, Instant due) {
		return send(OutboundMessage.to(queue, payload).dueAt(due));
	}

	@Override
	public SendResult send(OutboundMessage message) {
		Prepared prepared = prepare(message);
		TransactionalSends commit = awaitedCommit(prepared.message());
		if (commit != null) {
			commit.add(prepared, null);
			return prepared.estimate();
		}
		SendResult result;
		try {
			result = await(transmit(prepared.message().queue(), List.of(prepared))).get(0);
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
		List<Prepared> prepared = prepareAll(messages);
		List<Prepared> now = new ArrayList<>(prepared.size());
		Map<String, SendResult> results = new HashMap<>();
		for (Prepared each : prepared) {
			TransactionalSends commit = awaitedCommit(each.message());
			if (commit != null) {
				commit.add(each, null);
				results.put(each.uid(), each.estimate());
			}
			else {
				now.add(each);
			}
		}
		transmitAll(now, results);
		return prepared.stream().map((each) -> results.get(each.uid())).toList();
	}

	@Override
	public CompletableFuture<SendResult> sendAsync(OutboundMessage message) {
		CompletableFuture<SendResult> result = new CompletableFuture<>();
		try {
			Prepared prepared = prepare(message);
			TransactionalSends commit = awaitedCommit(prepared.message());
			if (commit != null) {
				commit.add(prepared, result);
			}
			else {
				complete(prepared, result, transmit(prepared.message().queue(), List.of(prepared)));
			}
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	private void complete(Prepared message, CompletableFuture<SendResult> result,
			CompletableFuture<List<SendResult>> sent) {
		sent.whenComplete((results, thrown) -> callBack(() -> {
			if (thrown == null) {
				message.sent(results.get(0));
				result.complete(results.get(0));
			}
			else {
				Throwable failure = (thrown instanceof CompletionException && thrown.getCause() != null)
						? thrown.getCause() : thrown;
				message.failed(failure);
				result.completeExceptionally(failure);
			}
		}));
	}

	/**
	 * Runs what completes a future: somewhere it may block, or here if the application is
	 * closing, for nobody may wait for ever.
	 */
	void callBack(Runnable action) {
		try {
			this.callbacks.execute(action);
		}
		catch (RejectedExecutionException ex) {
			action.run();
		}
	}

	/**
	 * Sends messages, those for one queue together.
	 */
	void transmitAll(List<Prepared> messages, Map<String, SendResult> results) {
		new BulkSend(this, results).send(messages);
	}

	private @Nullable TransactionalSends awaitedCommit(OutboundMessage message) {
		boolean wanted = (message.inTransaction() != null) ? message.inTransaction() : this.settings.afterCommit();
		return wanted ? TransactionalSends.current(this) : null;
	}

	private Prepared prepare(OutboundMessage given) {
		OutboundMessage message = this.interceptors.before(given);
		try {
			return observed(message);
		}
		catch (RuntimeException ex) {
			this.interceptors.failed(message, ex);
			throw ex;
		}
	}

	private Prepared observed(OutboundMessage message) {
		QueueName.check(message.queue());
		String uid = this.uids.next();
		if (this.observations.isNoop()) {
			return new Prepared(message, this.writer.write(uid, message, message.headers()), GuardedObservation.NONE,
					this.interceptors);
		}
		Map<String, Object> headers = new LinkedHashMap<>(message.headers());
		QueueSendContext context = new QueueSendContext(message.queue(), (message.id() != null) ? message.id() : uid,
				headers);
		GuardedObservation observation = GuardedObservation.start(() -> QueueObservation.SEND
			.observation(this.convention, new QueueSendConvention(), () -> context, this.observations));
		try {
			return new Prepared(message, this.writer.write(uid, message, headers), observation, this.interceptors);
		}
		catch (RuntimeException ex) {
			observation.fail(ex);
			throw ex;
		}
	}

	private List<Prepared> prepareAll(Collection<OutboundMessage> messages) {
		List<Prepared> prepared = new ArrayList<>(messages.size());
		try {
			messages.forEach((message) -> prepared.add(prepare(message)));
			BulkSend.check(prepared);
			return prepared;
		}
		catch (RuntimeException ex) {
			prepared.forEach((message) -> message.abandon(ex));
			throw ex;
		}
	}

	CompletableFuture<List<SendResult>> transmit(String queue, List<Prepared> messages) {
		List<NewMessage> entries = messages.stream().map(Prepared::entry).toList();
		return lane(queue).send(entries).handle((sent, failure) -> {
			MessageSendException ex = (failure != null) ? failure(queue, messages, failure)
					: refusal(queue, messages, sent.status());
			if (ex != null) {
				messages.forEach((message) -> message.fail(ex));
				throw ex;
			}
			messages.forEach((message) -> message.observation().stop());
			return results(messages, sent);
		});
	}

	private SendLane lane(String queue) {
		return this.lanes.computeIfAbsent(queue,
				(name) -> new SendLane(this.store, name, this.settings.maxWaiting(), this.settings.limits().get(name)));
	}

	private static List<SendResult> results(List<Prepared> messages, SendReply sent) {
		List<SendResult> results = new ArrayList<>(messages.size());
		for (int i = 0; i < messages.size(); i++) {
			SendReply.Duplicate duplicate = sent.duplicates().get(i);
			Prepared message = messages.get(i);
			Instant due = (duplicate != null) ? duplicate.dueAt() : message.due(sent.time());
			results.add(new SendResult(message.message().queue(), message.id(), due, duplicate != null));
		}
		return results;
	}

	private static MessageSendException failure(String queue, List<Prepared> messages, Throwable thrown) {
		Throwable failure = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
				: thrown;
		String what = what(queue, messages);
		if (failure instanceof OutcomeUnknownException) {
			return new SendOutcomeUnknownException(
					what + ": it is unknown whether Redis has it, for no answer came: " + failure.getMessage(),
					failure);
		}
		return new MessageSendException(what + " was not sent: " + failure.getMessage(), failure);
	}

	private static @Nullable MessageSendException refusal(String queue, List<Prepared> messages, LaneStatus status) {
		return switch (status) {
			case FULL -> new QueueFullException(what(queue, messages) + " was not sent: the queue '" + queue
					+ "' has as many messages as 'redelay.queue.queues." + queue + ".max-length' allows");
			case CLOSED -> new QueueClosedException(what(queue, messages) + " was not sent: the queue '" + queue
					+ "' is closed for new messages until QueueAdmin.reopen is called");
			default -> null;
		};
	}

	private static String what(String queue, List<Prepared> messages) {
		return (messages.size() == 1) ? messages.get(0).message().toString()
				: messages.size() + " messages to the queue '" + queue + "'";
	}

	static <T> T await(CompletableFuture<T> future) {
		try {
			return future.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new SendOutcomeUnknownException("The thread was interrupted while it waited for Redis' answer", ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof MessageSendException failure) {
				failure.addSuppressed(new CallerTrace());
				throw failure;
			}
			throw new IllegalStateException(ex.getCause());
		}
	}

	/**
	 * A message ready to go.
	 *
	 * @param message as it was given
	 * @param entry as it is sent
	 * @param observation started
	 * @param interceptors are to be told what became of it
	 */
	record Prepared(OutboundMessage message, NewMessage entry, GuardedObservation observation,
			SendInterceptors interceptors) {

		String uid() {
			return this.entry.uid();
		}

		int size() {
			return this.entry.envelope().length;
		}

		String id() {
			return (this.message.id() != null) ? this.message.id() : uid();
		}

		/**
		 * When the message is due if it arrives at a time; counted like the store does.
		 */
		Instant due(Instant time) {
			if (this.message.dueAt() != null) {
				Instant dueAt = this.message.dueAt().plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
				return dueAt.isAfter(time) ? dueAt : time;
			}
			Duration delay = this.message.delay();
			return (delay == null || delay.isZero()) ? time : time.plusMillis(1 + delay.plusNanos(999_999).toMillis());
		}

		/**
		 * The request failed; its sender is yet to learn of it.
		 */
		void fail(Throwable failure) {
			this.observation.fail(failure);
		}

		/**
		 * There will be no request.
		 */
		void abandon(Throwable failure) {
			fail(failure);
			failed(failure);
		}

		void sent(SendResult result) {
			this.interceptors.sent(this.message, result);
		}

		void failed(Throwable failure) {
			this.interceptors.failed(this.message, failure);
		}

		SendResult estimate() {
			return new SendResult(this.message.queue(), id(), due(Instant.now()), false);
		}

	}

	/**
	 * Shows where in the application a send was made, which the stack of Redis' answer
	 * does not.
	 */
	private static final class CallerTrace extends RuntimeException {

		CallerTrace() {
			super("The message was sent here");
		}

	}

}
