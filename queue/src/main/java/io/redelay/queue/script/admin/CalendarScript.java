package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

import org.springframework.util.Assert;

/**
 * Counts scheduled messages by the time at which they are due.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record CalendarScript(ScriptRunner runner) {

	/**
	 * Between how many times one request counts at most.
	 */
	public static final int MAX_BARS = 64;

	/**
	 * Counts the messages of one partition.
	 * @param queue the partition
	 * @param times each later than the one before
	 * @return how many are due from each time on and before the next one
	 */
	public CompletableFuture<List<Long>> run(String queue, List<Instant> times) {
		Assert.state(times.size() <= MAX_BARS + 1, () -> "Too many bars: " + (times.size() - 1));
		Object[] args = times.stream().map((time) -> Long.toString(time.toEpochMilli())).toArray();
		return this.runner.run("Counting the scheduled messages of the queue '" + queue + "'", Script.CALENDAR,
				this.runner.keys(queue).of(Script.CALENDAR), args, (reply) -> {
					reply.timeAfterStatus();
					return reply.list(ReplyReader::number);
				});
	}

}
