package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * When how many scheduled messages of a queue are due, and how long its handlers need for
 * them. Messages that wait for another attempt are scheduled as well. Of a recurring
 * message only the next run is.
 *
 * @param queue the queue
 * @param time when it was counted, by the clock of Redis
 * @param span how far it looks ahead
 * @param zone the time zone in which hours and days begin
 * @param bars how many messages are due when: the first bar begins at {@code time}, and
 * the last one ends with the last hour, day or other unit that begins within the span
 * @param ready how many messages are due already and wait for a listener
 * @param scheduled how many are scheduled in all
 * @param later how many of these are due after the last bar
 * @param retrying how many living messages have failed before; those among them that wait
 * for another attempt are counted in the bars
 * @param paused whether the queue is paused: then nothing is handled
 * @param perSecond how many messages the handlers can do a second, by their number, the
 * mean time that they took lately, and the limits of the queue. It supposes that they do
 * nothing else, and knows nothing of the limits of keys. {@code null} if it is unknown:
 * the queue is paused, nobody consumes it, or nothing was handled in the last hour
 * @since 0.1.0
 */
public record QueueCalendar(String queue, Instant time, Span span, ZoneId zone, List<Bar> bars, long ready,
		long scheduled, long later, long retrying, boolean paused, @Nullable Double perSecond) {

	/**
	 * Copies the bars.
	 */
	public QueueCalendar {
		bars = List.copyOf(bars);
	}

	/**
	 * How far a calendar looks ahead, and how long its bars are.
	 */
	public enum Span {

		/**
		 * An hour, in bars of five minutes.
		 */
		HOUR,

		/**
		 * A day, in bars of an hour.
		 */
		DAY,

		/**
		 * Seven days, in bars that begin at 0, 6, 12 and 18 o'clock.
		 */
		WEEK,

		/**
		 * A month, in bars of a day. A day on which clocks change has 23 or 25 hours.
		 */
		MONTH

	}

	/**
	 * The messages that are due in a time.
	 *
	 * @param from when the time begins
	 * @param to when it ends: a message that is due then is in the next bar
	 * @param due how many messages are due
	 * @param handling how long the handlers need for them; {@code null} if that is
	 * unknown
	 * @param overrun how long after the end of the bar the handlers still need for what
	 * is due until then, including what is ready now; zero if they keep up, {@code null}
	 * if that is unknown
	 */
	public record Bar(Instant from, Instant to, long due, @Nullable Duration handling, @Nullable Duration overrun) {

	}

}
