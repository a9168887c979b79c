package io.redelay.queue.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

import io.redelay.queue.AckMode;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Names the messages of a batch that are not done; <em>all others are acknowledged</em>,
 * regardless of the {@link AckMode}, unless they were settled before. Returned by a
 * handler that takes a {@code List}, also as the value of a {@code CompletionStage} or a
 * {@code Mono}; or given to {@link BatchAcknowledgment#settle(BatchResult)}; or, by a
 * handler whose transaction is to be rolled back, thrown as a
 * {@link BatchFailedException}.
 * <p>
 * Messages are named by their positions in the list as the handler was given it, or by
 * the elements of the list. An element is that very object or, if it is not in the list,
 * the one that equals it. If a result names something that is not in the list, or a
 * message twice, the whole batch has failed: each message that is not settled is handled
 * alone.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class BatchResult {

	private final List<Named> named = new ArrayList<>();

	private BatchResult() {
	}

	/**
	 * Creates a result that names no message yet.
	 * @return the result, to which messages are added
	 */
	public static BatchResult create() {
		return new BatchResult();
	}

	/**
	 * Says that the handling of a message failed. It is retried as if its handler had
	 * thrown this.
	 * @param position the message's position in the list, from 0
	 * @param failure why
	 * @return this result
	 */
	public BatchResult failedAt(int position, Throwable failure) {
		return add(new Named(position, null, failure));
	}

	/**
	 * Says that the handling of a message failed. It is retried as if its handler had
	 * thrown this.
	 * @param element the element of the list
	 * @param failure why
	 * @return this result
	 */
	public BatchResult failed(Object element, Throwable failure) {
		return add(element, failure);
	}

	/**
	 * Says that a message is to be delivered again after a delay, while it has attempts
	 * left.
	 * @param position the message's position in the list, from 0
	 * @param delay how long to wait; 0 to 3650 days
	 * @return this result
	 * @throws IllegalArgumentException if it is another delay
	 */
	public BatchResult retriedAt(int position, Duration delay) {
		return failedAt(position, new RetryMessageException(delay));
	}

	/**
	 * Says that a message is to be delivered again after a delay, while it has attempts
	 * left.
	 * @param element the element of the list
	 * @param delay how long to wait; 0 to 3650 days
	 * @return this result
	 * @throws IllegalArgumentException if it is another delay
	 */
	public BatchResult retried(Object element, Duration delay) {
		return add(element, new RetryMessageException(delay));
	}

	/**
	 * Says that a message can never be handled. It is kept among the dead messages.
	 * @param position the message's position in the list, from 0
	 * @param reason why
	 * @return this result
	 */
	public BatchResult rejectedAt(int position, String reason) {
		return failedAt(position, new RejectMessageException(reason));
	}

	/**
	 * Says that a message can never be handled. It is kept among the dead messages.
	 * @param element the element of the list
	 * @param reason why
	 * @return this result
	 */
	public BatchResult rejected(Object element, String reason) {
		return add(element, new RejectMessageException(reason));
	}

	private BatchResult add(Object element, Throwable failure) {
		Assert.notNull(element, "'element' must not be null");
		return add(new Named(0, element, failure));
	}

	private BatchResult add(Named each) {
		Assert.notNull(each.failure(), "'failure' must not be null");
		synchronized (this.named) {
			this.named.add(each);
		}
		return this;
	}

	/**
	 * Returns whether no message is named, so that all are acknowledged.
	 * @return whether none is named
	 */
	public boolean isEmpty() {
		synchronized (this.named) {
			return this.named.isEmpty();
		}
	}

	/**
	 * Returns why messages failed, by their positions.
	 * @param positions gives the position of an element, as {@code List.indexOf} does;
	 * what it throws is thrown
	 * @return the failures, by position
	 * @throws IllegalArgumentException if a message is named twice
	 */
	public Map<Integer, Throwable> failures(ToIntFunction<Object> positions) {
		Map<Integer, Throwable> failures = new HashMap<>();
		for (Named each : all()) {
			int position = (each.element() != null) ? positions.applyAsInt(each.element()) : each.position();
			Throwable other = failures.put(position, each.failure());
			if (other != null) {
				throw new IllegalArgumentException("The position " + position + " of a batch is named twice: with a "
						+ other.getClass().getName() + " and a " + each.failure().getClass().getName());
			}
		}
		return failures;
	}

	/**
	 * Returns the failures of those messages that are named by their positions.
	 */
	Map<Integer, Throwable> failuresByPosition() {
		Map<Integer, Throwable> failures = new HashMap<>();
		all().stream()
			.filter((each) -> each.element() == null)
			.forEach((each) -> failures.put(each.position(), each.failure()));
		return Map.copyOf(failures);
	}

	/**
	 * Returns the first failure, or {@code null} if there is none.
	 */
	@Nullable Throwable first() {
		return all().stream().map(Named::failure).findFirst().orElse(null);
	}

	private List<Named> all() {
		synchronized (this.named) {
			return List.copyOf(this.named);
		}
	}

	@Override
	public String toString() {
		return all().size() + " message(s) of a batch failed";
	}

	/**
	 * A message that is not done.
	 *
	 * @param position its position; nothing if an element is named
	 * @param element the element, or {@code null} if the position is named
	 * @param failure why
	 */
	private record Named(int position, @Nullable Object element, Throwable failure) {

	}

}
