package io.redelay.queue.measure;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the counts of this instance to the store, which adds up those of all instances.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CountsWriter {

	/**
	 * Writes counts. A request that is repeated with its number counts once.
	 * @param queue the partition
	 * @param request the number of the request, from 1 and larger each time
	 * @param spans the counts, with their age
	 * @return a future that completes when they are written
	 */
	CompletableFuture<Void> write(String queue, long request, List<Span> spans);

	/**
	 * The counts of a short time.
	 *
	 * @param ageMillis how long ago that was
	 * @param counts the counts
	 */
	record Span(long ageMillis, QueueCounts counts) {

	}

}
