package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.measure.CountsWriter;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * The ring of minutes that a queue has.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class StatsKey {

	private static final String UNKNOWN = "-";

	private final ScriptRunner runner;

	StatsKey(ScriptRunner runner) {
		this.runner = runner;
	}

	public CompletableFuture<Void> add(String queue, String instance, long request, List<CountsWriter.Span> spans) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>();
		args.add(instance);
		args.add(Long.toString(request));
		for (CountsWriter.Span span : spans) {
			QueueCounts counts = span.counts();
			for (long number : new long[] { span.ageMillis(), counts.sent(), counts.handled(), counts.failed(),
					counts.dead(), counts.returned(), counts.waits(), counts.waitMillis(), counts.maxWaitMillis(),
					counts.handlings(), counts.handlingMicros(), counts.maxHandlingMicros() }) {
				args.add(Long.toString(number));
			}
		}
		return this.runner.run("Adding to the history of the queue '" + queue + "'", Script.ADD_STATS,
				keys.of(Script.ADD_STATS), args.toArray(), (reply) -> null);
	}

	public CompletableFuture<History> read(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Reading the history of the queue '" + queue + "'", Script.STATS, keys.of(Script.STATS),
				new Object[0], StatsKey::history);
	}

	private static History history(Reply reply) {
		reply.text();
		Instant time = reply.time();
		long ready = reply.number();
		Map<Long, History.Minute> minutes = new HashMap<>();
		while (reply.hasNext()) {
			Reply words = reply.words();
			long minute = words.number();
			QueueCounts counts = new QueueCounts(words.number(), words.number(), words.number(), words.number(),
					words.number(), words.number(), words.number(), words.number(), words.number(), words.number(),
					words.number());
			String then = words.text();
			minutes.put(minute, new History.Minute(counts, then.equals(UNKNOWN) ? null : Long.valueOf(then)));
		}
		return new History(time, ready, minutes);
	}

	/**
	 * The counts of the last minutes of a queue.
	 *
	 * @param time the store's clock
	 * @param ready how many messages are ready now
	 * @param minutes the minutes in which something was counted, counted from 1970
	 */
	public record History(Instant time, long ready, Map<Long, Minute> minutes) {

		/**
		 * The counts of a minute.
		 *
		 * @param counts the counts of all instances
		 * @param ready how many messages were ready when something was written last in
		 * that minute, or {@code null} if everything was written later
		 */
		public record Minute(QueueCounts counts, @Nullable Long ready) {

		}

	}

}
