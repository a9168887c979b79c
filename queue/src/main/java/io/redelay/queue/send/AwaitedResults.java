package io.redelay.queue.send;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageResultException;
import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.StoredMessages;
import io.redelay.queue.wire.WakeUpSource;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.support.MessageBuilder;

/**
 * The results of messages for which this instance waits. The instance that acknowledges
 * such a message publishes that on the channel of the waiting instance. Lost
 * publications, and messages that end without a result, are found by polling all of them
 * once a second.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class AwaitedResults implements WakeUpSource.Listener, AutoCloseable {

	private static final Log logger = PlainLog.of(AwaitedResults.class);

	/**
	 * How many results may be waited for at the same time.
	 */
	static final int MAX_WAITING = 100_000;

	private static final Duration LOOK = Duration.ofSeconds(1);

	/**
	 * How many times in a row, a second apart, a message must not be found.
	 */
	private static final int MAX_EMPTY_LOOKS = 3;

	/**
	 * For how long after Redis may have gone back in time a message may be missing: until
	 * its sender and its listener are connected again and have repeated their requests.
	 */
	private static final Duration REPEATED = Duration.ofSeconds(10);

	private final QueueScripts scripts;

	private final StoredMessages messages;

	private final QueuePartitions partitions;

	private final MessageConverter converter;

	private final FailedAttemptCodec attempts;

	private final Scheduler scheduler;

	private final Set<Wait<?>> waits = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean lookPlanned = new AtomicBoolean();

	private WakeUpSource.@Nullable Subscription subscription;

	private volatile boolean closed;

	/**
	 * When Redis may have gone back in time last, by the scheduler's clock.
	 */
	private volatile long wentBackNanos;

	/**
	 * Creates the results.
	 * @param scripts the scripts of the server
	 * @param messages where they are looked for
	 * @param partitions how many partitions queues have
	 * @param converter converts results
	 * @param attempts reads what messages died of
	 * @param scheduler when to look; its executor converts results
	 */
	public AwaitedResults(QueueScripts scripts, StoredMessages messages, QueuePartitions partitions,
			MessageConverter converter, FailedAttemptCodec attempts, Scheduler scheduler) {
		this.scripts = scripts;
		this.messages = messages;
		this.partitions = partitions;
		this.converter = converter;
		this.attempts = attempts;
		this.scheduler = scheduler;
		this.wentBackNanos = scheduler.nanoTime() - REPEATED.toNanos();
		scripts.replayMemory().watch(() -> this.wentBackNanos = scheduler.nanoTime());
	}

	/**
	 * The name of this instance in the store, by which it is notified of results.
	 */
	String instance() {
		return this.scripts.instance();
	}

	/**
	 * Waits for the result of a message that is being sent.
	 * @param id its id
	 * @param type the type of the result
	 * @return the wait, which begins when it is notified that the message was sent
	 */
	<T> Wait<T> prepare(String queue, String id, Class<T> type) {
		Wait<T> wait = new Wait<>(queue, id, type);
		if (this.closed) {
			wait.future.completeExceptionally(new QueueException("The application is closing"));
		}
		else if (this.waits.size() >= MAX_WAITING) {
			wait.future.completeExceptionally(new QueueException(
					MAX_WAITING + " results are waited for already, and that of the message '" + id + "' of the queue '"
							+ queue + "' is one too many; give up some, with CompletableFuture.orTimeout, say"));
		}
		else {
			this.waits.add(wait);
			wait.future.whenComplete((value, failure) -> forget(wait));
			subscribe();
			if (this.closed) {
				close();
			}
		}
		return wait;
	}

	/**
	 * Waits for the result of a message that was sent.
	 */
	<T> CompletableFuture<T> await(String queue, String id, Class<T> type) {
		Wait<T> wait = prepare(queue, id, type);
		wait.begin(id);
		look(List.of(wait), false);
		return wait.future;
	}

	private synchronized void subscribe() {
		if (this.subscription == null && !this.closed) {
			this.subscription = this.scripts.wakeUps().subscribe(this);
		}
	}

	private void forget(Wait<?> wait) {
		this.waits.remove(wait);
		synchronized (this) {
			if (this.waits.isEmpty() && this.subscription != null) {
				this.subscription.close();
				this.subscription = null;
			}
		}
		if (!this.waits.isEmpty()) {
			subscribe(); // one that came meanwhile
		}
	}

	@Override
	public void wakeUp(String lane) {
	}

	@Override
	public void wakeUpAll() {
		look(List.copyOf(this.waits), false);
	}

	@Override
	public void completed(String id) {
		List<Wait<?>> completed = this.waits.stream()
			.filter((wait) -> wait.id.equals(id))
			.<Wait<?>>map((wait) -> wait)
			.toList();
		completed.forEach((wait) -> wait.announced = true);
		look(completed, false);
	}

	private void lookLater() {
		if (!this.waits.isEmpty() && this.lookPlanned.compareAndSet(false, true)
				&& this.scheduler.schedule(this::lookAtAll, LOOK) == null) {
			this.lookPlanned.set(false);
			close();
		}
	}

	private void lookAtAll() {
		this.lookPlanned.set(false);
		look(List.copyOf(this.waits), true);
		lookLater();
	}

	/**
	 * Polls the outcomes of messages.
	 * @param counts whether this counts as one more failed look-up of a message that is
	 * not found
	 */
	private void look(List<Wait<?>> some, boolean counts) {
		Map<String, List<Wait<?>>> byQueue = new LinkedHashMap<>();
		some.stream()
			.filter((wait) -> wait.begun && !wait.future.isDone())
			.forEach((wait) -> byQueue.computeIfAbsent(wait.queue, (queue) -> new ArrayList<>()).add(wait));
		byQueue.forEach((queue, waiting) -> look(queue, waiting, counts));
	}

	private void look(String queue, List<Wait<?>> some, boolean counts) {
		for (int from = 0; from < some.size(); from += AdminScripts.MAX_PAGE) {
			List<Wait<?>> page = some.subList(from, Math.min(some.size(), from + AdminScripts.MAX_PAGE));
			List<String> names = page.stream().map((wait) -> wait.id).toList();
			Map<String, StoredMessages.Outcome> found = new HashMap<>();
			CompletableFuture<?> all = CompletableFuture.completedFuture(null);
			for (String partition : this.partitions.of(queue)) {
				all = all.thenCompose((done) -> outcomes(partition, names, found));
			}
			all.whenComplete((done, failure) -> {
				if (failure == null) {
					page.forEach((wait) -> wait.found(found.get(wait.id), counts));
				}
				else {
					logger.debug("The results of messages of the queue '" + queue
							+ "' could not be asked for, which is tried again", failure);
				}
			});
		}
	}

	/**
	 * Asks a partition, in as many steps as the size of the results takes.
	 */
	private CompletableFuture<?> outcomes(String partition, List<String> names,
			Map<String, StoredMessages.Outcome> found) {
		return this.messages.outcomes(partition, names).thenCompose((outcomes) -> {
			for (int i = 0; i < outcomes.size(); i++) {
				found.merge(names.get(i), outcomes.get(i),
						(one, other) -> (one.state() != MessageState.UNKNOWN) ? one : other);
			}
			return (outcomes.size() < names.size() && !outcomes.isEmpty())
					? outcomes(partition, names.subList(outcomes.size(), names.size()), found)
					: CompletableFuture.completedFuture(null);
		});
	}

	private boolean isRepeating() {
		return this.scheduler.nanoTime() - this.wentBackNanos < REPEATED.toNanos();
	}

	/**
	 * Fails all waits: the application is closing. The results stay in Redis.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.waits.forEach((wait) -> wait.future.completeExceptionally(
				new QueueException("The application is closing, and waits no longer for the result of the " + wait
						+ "; ask for it again by QueueOperations.result")));
	}

	/**
	 * A wait for a result.
	 */
	final class Wait<T> {

		private final CompletableFuture<T> future = new CompletableFuture<>();

		private final String queue;

		private final Class<T> type;

		private volatile String id;

		private volatile boolean begun;

		private volatile boolean announced;

		private int emptyLooks;

		Wait(String queue, String id, Class<T> type) {
			this.queue = queue;
			this.id = id;
			this.type = type;
		}

		CompletableFuture<T> future() {
			return this.future;
		}

		/**
		 * The message was sent.
		 * @param sentAs the id of the message by which it is handled
		 */
		void begin(String sentAs) {
			boolean other = !sentAs.equals(this.id);
			this.id = sentAs;
			this.begun = true;
			if (this.announced || other) {
				look(List.of(this), false);
			}
			lookLater();
		}

		void fail(Throwable failure) {
			this.future.completeExceptionally(failure);
		}

		private void found(StoredMessages.@Nullable Outcome outcome, boolean counts) {
			if (outcome == null || this.future.isDone()) {
				return;
			}
			switch (outcome.state()) {
				case COMPLETED -> run((done) -> completed(outcome.detail()));
				case DEAD -> run((done) -> died(outcome.detail()));
				case UNKNOWN -> {
					if (isRepeating()) {
						this.emptyLooks = 0;
					}
					else if (counts && ++this.emptyLooks >= MAX_EMPTY_LOOKS) {
						run((done) -> fail(exception(
								"is neither in its queue nor among the completed or dead ones: it was"
										+ " cancelled, dropped, forwarded or removed, or was done by a listener that keeps nothing",
								MessageState.UNKNOWN, null, null)));
					}
				}
				default -> this.emptyLooks = 0;
			}
		}

		/**
		 * Completes the future on a thread that may block.
		 */
		private void run(Consumer<Wait<T>> action) {
			if (!AwaitedResults.this.scheduler.execute(() -> action.accept(this))) {
				action.accept(this);
			}
		}

		private void died(byte[] cause) {
			FailedAttempt death = (cause.length > 0)
					? AwaitedResults.this.attempts.read(new String(cause, StandardCharsets.UTF_8)) : null;
			String why = (death != null) ? " (" + death.reason()
					+ ((death.exception() != null) ? ", " + death.exception() + ": " + death.message() : "") + ")" : "";
			fail(exception("is dead" + why, MessageState.DEAD, death, null));
		}

		private void completed(byte[] stored) {
			if (stored.length == 0) {
				failCompleted("is done, and what its handler returned was not kept; set 'redelay.queue.queues."
						+ this.queue + ".completed.results', or send it by sendForResult", null);
				return;
			}
			KeptResult result = KeptResult.read(stored);
			switch (result.contentType()) {
				case KeptResult.FAILED ->
					failCompleted("is done, but " + new String(result.value(), StandardCharsets.UTF_8), null);
				case KeptResult.CANCELLED -> failCompleted("was cancelled while it was being handled", null);
				case KeptResult.DEAD -> died(result.value());
				case KeptResult.EXPIRED ->
					failCompleted("was dropped, for its time to live or its deadline was over", null);
				default -> complete(result);
			}
		}

		private void complete(KeptResult result) {
			try {
				this.future.complete(value(result));
			}
			catch (Throwable ex) {
				failCompleted(
						"is done, but its result cannot be read as " + this.type.getName() + ": " + ex.getMessage(),
						ex);
			}
		}

		private void failCompleted(String what, @Nullable Throwable cause) {
			fail(exception(what, MessageState.COMPLETED, null, cause));
		}

		@SuppressWarnings({ "unchecked", "NullAway" }) // a handler may return nothing
		private T value(KeptResult result) {
			if (result.contentType().isEmpty() || this.type == Void.class) {
				return null;
			}
			Object value = (this.type == byte[].class) ? result.value()
					: AwaitedResults.this.converter.fromMessage(MessageBuilder.withPayload(result.value())
						.setHeader(MessageHeaders.CONTENT_TYPE, result.contentType())
						.build(), this.type);
			if (value == null) {
				throw new IllegalStateException("no MessageConverter reads it");
			}
			return (T) value;
		}

		private MessageResultException exception(String what, MessageState state, @Nullable FailedAttempt death,
				@Nullable Throwable cause) {
			return new MessageResultException("The " + this + " has no result: it " + what, state, death, cause);
		}

		@Override
		public String toString() {
			return "message '" + this.id + "' of the queue '" + this.queue + "'";
		}

	}

}
