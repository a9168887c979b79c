package io.redelay.queue.script.admin;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.log.PlainLog;
import io.redelay.queue.wire.Script;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Counts the packed messages of a queue where what Redis has of their number was lost or
 * is wrong.
 *
 * @param far reads the chunks
 */
record PackedCount(FarScript far) {

	private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

	/**
	 * What Redis has of the number of packed messages: how many, the number of the next
	 * chunk, how many buckets there may be, how many are there.
	 */
	private static final Pattern HEAD = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18})(?: .*)?$");

	private static final Log logger = PlainLog.of(PackedCount.class);

	/**
	 * Counts them, and writes their number if Redis had another one.
	 * @param queue the queue, as the store knows it
	 * @return whether it was wrong
	 */
	CompletableFuture<Boolean> recount(String queue) {
		return highest(queue, null, 0).thenCompose((highest) -> recount(queue, "0", null, new HashMap<>(), highest));
	}

	/**
	 * The highest number of a chunk.
	 */
	private CompletableFuture<Long> highest(String queue, FarScript.@Nullable Chunk after, long before) {
		return this.far.chunks(queue, false, FarScript.MAX_SPANS, null, after).thenCompose((found) -> {
			List<FarScript.Chunk> chunks = found.chunks();
			long highest = chunks.stream()
				.map(FarScript.Chunk::number)
				.filter((number) -> NUMBER.matcher(number).matches())
				.mapToLong(Long::parseLong)
				.reduce(before, Math::max);
			return found.hasNext() ? highest(queue, chunks.get(chunks.size() - 1), highest)
					: CompletableFuture.completedFuture(highest);
		});
	}

	/**
	 * @param first what the first step found that Redis has of the number
	 * @param counted by the number of a bucket, how many messages it has
	 */
	private CompletableFuture<Boolean> recount(String queue, String place, @Nullable String first,
			Map<Long, Long> counted, long highest) {
		return this.far.runner().run(Script.FAR_RECOUNT, queue, "Counting packed messages of", (reply) -> {
			reply.text(); // its status
			String next = reply.text();
			String found = reply.text();
			reply.list((each) -> counted.put(each.number(), each.number()));
			String before = (first != null) ? first : found;
			return next.isEmpty() ? write(queue, before, counted, highest)
					: recount(queue, next, before, counted, highest);
		}, place).thenCompose((step) -> step);
	}

	private CompletableFuture<Boolean> write(String queue, String found, Map<Long, Long> counted, long highest) {
		long buckets = 1 + counted.keySet().stream().reduce(0L, Math::max);
		long messages = counted.values().stream().mapToLong(Long::longValue).sum();
		long next = highest + 1;
		Matcher head = HEAD.matcher(found);
		if (head.lookingAt()) {
			buckets = Math.max(buckets, Long.parseLong(head.group(3)));
			next = Math.max(next, Long.parseLong(head.group(2)));
			if (head.group(1).equals(Long.toString(messages)) && head.group(4).equals(Long.toString(counted.size()))
					&& head.group(3).equals(Long.toString(buckets)) && head.group(2).equals(Long.toString(next))) {
				return CompletableFuture.completedFuture(false);
			}
		}
		return this.far.runner().run(Script.FAR_RECOUNT, queue, "Counting packed messages of", (reply) -> {
			boolean written = reply.text().equals("OK");
			if (written) {
				logger.error("What Redis had of the number of packed messages of the queue '" + queue
						+ "' was lost or wrong. They were counted again: " + messages + " messages");
			}
			return written;
		}, "WRITE", found, messages, next, buckets, counted.size());
	}

}
