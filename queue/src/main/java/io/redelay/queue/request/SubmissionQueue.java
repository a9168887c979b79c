package io.redelay.queue.request;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The submissions that wait for a request, bounded by their number and, together with
 * unanswered ones, by their size.
 * <p>
 * Guarded by the lock of the batcher.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 */
final class SubmissionQueue<T, R> {

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private final RequestProtocol.Settings settings;

	private final ByteBudget budget;

	private final Deque<Submission<T, R>> waiting = new ArrayDeque<>();

	private int waitingItems;

	/**
	 * How many ordered submissions wait or are in requests without an answer.
	 */
	private int ordered;

	SubmissionQueue(RequestProtocol.Settings settings, ByteBudget budget) {
		this.settings = settings;
		this.budget = budget;
	}

	/**
	 * Adds a submission, unless too much waits.
	 * @return why it was refused, or {@code null} if it was added
	 */
	@Nullable StoreException add(Submission<T, R> submission) {
		int items = submission.items().size();
		if (this.waitingItems > 0 && this.waitingItems + items > this.settings.maxWaiting()) {
			return new StoreException(this.waitingItems + " messages already wait to be sent to the queue '"
					+ this.settings.queue() + "': Redis is slower than the senders", null);
		}
		if (!this.budget.take(submission.bytes())) {
			return new StoreException(this.budget.taken()
					+ " bytes already wait for Redis' answer, and 'redelay.queue.send.max-waiting-size' allows "
					+ this.budget.limit() + ": Redis is slower than the senders", null);
		}
		this.waiting.add(submission);
		this.waitingItems += items;
		this.ordered += submission.ordered() ? 1 : 0;
		return null;
	}

	/**
	 * Takes the submissions of the next request: as many as it may have.
	 * @return at least one
	 */
	List<Submission<T, R>> next() {
		List<Submission<T, R>> batch = new ArrayList<>();
		int items = 0;
		long bytes = 0;
		for (Submission<T, R> next = this.waiting.peek(); next != null; next = this.waiting.peek()) {
			items += next.items().size();
			bytes += next.bytes();
			if (!batch.isEmpty() && (next.alone() || items > this.settings.maxItems() || bytes > MAX_BYTES)) {
				break;
			}
			batch.add(next);
			this.waiting.remove();
			this.waitingItems -= next.items().size();
			if (next.alone()) {
				break;
			}
		}
		return batch;
	}

	/**
	 * Puts submissions back in front, each for a request of its own.
	 */
	void putBackAlone(List<Submission<T, R>> batch) {
		for (int i = batch.size() - 1; i >= 0; i--) {
			Submission<T, R> submission = batch.get(i).byItself();
			this.waiting.addFirst(submission);
			this.waitingItems += submission.items().size();
		}
	}

	/**
	 * Records that the request of these submissions was answered, or failed.
	 */
	void finished(List<Submission<T, R>> batch) {
		batch.forEach((submission) -> {
			this.ordered -= submission.ordered() ? 1 : 0;
			this.budget.giveBack(submission.bytes());
		});
	}

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	int size() {
		return this.waiting.size();
	}

	/**
	 * Returns whether the waiting submissions fill a request.
	 */
	boolean fillsRequest() {
		return this.waitingItems >= this.settings.maxItems();
	}

	boolean hasOrdered() {
		return this.ordered > 0;
	}

}
