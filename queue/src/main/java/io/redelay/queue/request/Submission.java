package io.redelay.queue.request;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The items that one caller gave at once. They go in one request.
 *
 * @param items what it is made of
 * @param bytes the size of the items
 * @param ordered whether it is carried out before later ones, and after earlier ones that
 * are ordered, too
 * @param alone whether it goes in a request of its own
 * @param result the reply
 * @param <T> what a request is made of
 * @param <R> the reply
 */
record Submission<T, R>(List<T> items, long bytes, boolean ordered, boolean alone, CompletableFuture<R> result) {

	Submission(List<T> items, long bytes, boolean ordered) {
		this(items, bytes, ordered, false, new CompletableFuture<>());
	}

	/**
	 * Returns this submission for a request of its own: the store refused one with other
	 * submissions in it.
	 */
	Submission<T, R> byItself() {
		return new Submission<>(this.items, this.bytes, this.ordered, true, this.result);
	}

}
