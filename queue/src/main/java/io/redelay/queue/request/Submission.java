package io.redelay.queue.request;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The items that one caller gave at once. They go in one request.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 */
final class Submission<T, R> {

	private final List<T> items;

	private final long bytes;

	private final boolean ordered;

	private final CompletableFuture<R> result = new CompletableFuture<>();

	private boolean alone;

	/**
	 * Creates a submission.
	 * @param ordered whether it is carried out before later ones, and after earlier ones
	 * that are ordered, too
	 */
	Submission(List<T> items, long bytes, boolean ordered) {
		this.items = items;
		this.bytes = bytes;
		this.ordered = ordered;
	}

	List<T> items() {
		return this.items;
	}

	long bytes() {
		return this.bytes;
	}

	boolean isOrdered() {
		return this.ordered;
	}

	CompletableFuture<R> result() {
		return this.result;
	}

	/**
	 * Returns whether it goes in a request of its own. Guarded by the lock of the
	 * batcher.
	 */
	boolean isAlone() {
		return this.alone;
	}

	/**
	 * Gives it a request of its own: the store refused one with other submissions in it.
	 */
	void goAlone() {
		this.alone = true;
	}

}
