package io.redelay.queue.measure;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Writes what this instance has counted to where the counts of all instances are added
 * up.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CountsWriter {

	/**
	 * Writes counts. A request that is made again with its number counts once.
	 * @param queue the partition
	 * @param request the number of the request, from 1 and larger each time
	 * @param spans what was counted, and when
	 * @return completes when it is written
	 */
	CompletableFuture<Void> write(String queue, long request, List<Span> spans);

	/**
	 * What was counted in a short time.
	 *
	 * @param ageMillis how long ago that was
	 * @param counts the counts
	 */
	record Span(long ageMillis, QueueCounts counts) {

	}

}
