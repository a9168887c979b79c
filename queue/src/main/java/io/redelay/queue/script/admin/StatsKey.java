package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.measure.CountsWriter;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * The rings that a queue has: of the last hour, of a day and of a month.
 * <p>
 * Safe for use by many threads.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record StatsKey(ScriptRunner runner) {

	private static final String UNKNOWN = "-";

	private static final String SLOT = "s";

	private static final String WHAT = "Reading the history of";

	private static final int MOST_READY = 12;

	private static final int LAST_READY = 13;

	public CompletableFuture<Void> add(String queue, String instance, long request, List<CountsWriter.Span> spans) {
		List<Object> args = new ArrayList<>(List.of(instance, request));
		for (CountsWriter.Span span : spans) {
			QueueCounts counts = span.counts();
			args.addAll(List.of(span.ageMillis(), counts.sent(), counts.handled(), counts.failed(), counts.dead(),
					counts.returned(), counts.waitMillis().number(), counts.waitMillis().sum(),
					counts.waitMillis().max(), counts.handlingMicros().number(), counts.handlingMicros().sum(),
					counts.handlingMicros().max()));
		}
		return this.runner.run(Script.ADD_STATS, queue, "Adding to the history of", (reply) -> null, args.toArray());
	}

	public CompletableFuture<History> read(String queue) {
		return this.runner.run(Script.STATS, queue, WHAT, StatsKey::history, "HOUR");
	}

	/**
	 * Reads the ring of a day or of a month.
	 * @param queue the partition
	 * @param ring which one
	 * @return its steps in which something was counted
	 */
	public CompletableFuture<LongRing> read(String queue, Ring ring) {
		return this.runner.run(Script.STATS, queue, WHAT, StatsKey::longRing, ring.name());
	}

	private static LongRing longRing(ReplyReader reply) {
		Instant time = reply.timeAfterStatus();
		long ready = reply.number();
		Map<Long, LongRing.Step> steps = new HashMap<>();
		reply.texts().forEach((text) -> {
			String[] words = text.split(",");
			try {
				long last = number(words, LAST_READY) - 1;
				steps.put(number(words, 0),
						new LongRing.Step(
								new QueueCounts(number(words, 1), number(words, 2), number(words, 3), number(words, 4),
										number(words, 5), times(words, 6), times(words, 9)),
								number(words, MOST_READY), (last >= 0) ? last : null));
			}
			catch (NumberFormatException ex) {
				// Written by something else, and begins anew with the next counts.
			}
		});
		return new LongRing(time, ready, steps);
	}

	private static QueueCounts.Times times(String[] words, int first) {
		return new QueueCounts.Times(number(words, first), number(words, first + 1), number(words, first + 2));
	}

	/**
	 * Zeros are left out.
	 */
	private static long number(String[] words, int place) {
		return (place < words.length && !words[place].isEmpty()) ? Long.parseLong(words[place], 36) : 0;
	}

	private static History history(ReplyReader reply) {
		Instant time = reply.timeAfterStatus();
		long ready = reply.number();
		Map<Long, History.Minute> minutes = new HashMap<>();
		Map<Long, History.Slot> slots = new TreeMap<>();
		while (reply.hasNext()) {
			ReplyReader words = reply.words();
			String first = words.text();
			boolean isSlot = first.equals(SLOT);
			long number = isSlot ? words.number() : Long.parseLong(first);
			QueueCounts counts = new QueueCounts(words.number(), words.number(), words.number(), words.number(),
					words.number(), times(words), times(words));
			String then = words.text();
			Long readyThen = then.equals(UNKNOWN) ? null : Long.valueOf(then);
			if (isSlot && number <= time.toEpochMilli() / History.SLOT_MILLIS - History.SLOTS) {
				continue; // of an earlier round, in which nothing was counted since
			}
			if (isSlot) {
				slots.put(number, new History.Slot(counts, readyThen, words.hasNext() ? words.time() : null));
			}
			else {
				minutes.put(number, new History.Minute(counts, readyThen));
			}
		}
		return new History(time, ready, minutes, slots);
	}

	private static QueueCounts.Times times(ReplyReader words) {
		return new QueueCounts.Times(words.number(), words.number(), words.number());
	}

	/**
	 * A ring that is longer than an hour.
	 */
	public enum Ring {

		/**
		 * Quarters of an hour.
		 */
		DAY,

		/**
		 * Steps of four hours.
		 */
		MONTH

	}

	/**
	 * The counts of a queue in the steps of a day or a month.
	 *
	 * @param time the store's clock
	 * @param ready how many messages are ready now
	 * @param steps the steps in which something was counted, counted from 1970
	 */
	public record LongRing(Instant time, long ready, Map<Long, Step> steps) {

		/**
		 * The counts of a step.
		 *
		 * @param counts the counts of all instances
		 * @param mostReady the highest number of ready messages that was seen
		 * @param lastReady how many were ready when something was written last in that
		 * step, or {@code null} if everything was written later
		 */
		public record Step(QueueCounts counts, long mostReady, @Nullable Long lastReady) {

		}

	}

	/**
	 * The counts of the last minutes of a queue.
	 *
	 * @param time the store's clock
	 * @param ready how many messages are ready now
	 * @param minutes the minutes in which something was counted, counted from 1970
	 * @param slots the slots of {@value #SLOT_MILLIS} ms of the last minute in which
	 * something was counted, counted from 1970 and in this order
	 */
	public record History(Instant time, long ready, Map<Long, Minute> minutes, Map<Long, Slot> slots) {

		/**
		 * How long a slot is.
		 */
		public static final long SLOT_MILLIS = 5000;

		/**
		 * How many slots there are, with the present one.
		 */
		public static final long SLOTS = 13;

		/**
		 * The counts of some seconds.
		 *
		 * @param counts the counts of all instances
		 * @param ready how many messages were ready when something was written last in
		 * that slot, or {@code null} if everything was written later
		 * @param readyAt when that was
		 */
		public record Slot(QueueCounts counts, @Nullable Long ready, @Nullable Instant readyAt) {

		}

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
