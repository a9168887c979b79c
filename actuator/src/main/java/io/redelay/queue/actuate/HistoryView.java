package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueMinute;

/**
 * The last hour of a queue, as charts take it: a number a minute, the oldest first; the
 * last minute is not over.
 *
 * @param from when the first minute began
 * @param stepMillis how long a minute is
 * @param sent how many messages were sent
 * @param handled how many were acknowledged
 * @param failed how many attempts failed
 * @param dead how many messages died
 * @param postponed how many were given back with no attempt counted
 * @param waitMillis how long messages waited for their handler, on the average
 * @param waitMaxMillis how long one waited at most
 * @param handlingMillis how long handlers took, on the average
 * @param handlingMaxMillis how long one took at most
 * @param depth how many messages were ready at the end
 * @param lastMinute the counts of the last sixty seconds
 * @since 0.1.0
 */
record HistoryView(Instant from, long stepMillis, List<Long> sent, List<Long> handled, List<Long> failed,
		List<Long> dead, List<Long> postponed, List<Double> waitMillis, List<Double> waitMaxMillis,
		List<Double> handlingMillis, List<Double> handlingMaxMillis, List<Long> depth, LastMinute lastMinute) {

	private static final Duration STEP = Duration.ofMinutes(1);

	static HistoryView of(QueueHistory history) {
		return new HistoryView(history.from(), STEP.toMillis(), numbers(history, QueueMinute::sent),
				numbers(history, QueueMinute::handled), numbers(history, QueueMinute::failed),
				numbers(history, QueueMinute::dead), numbers(history, QueueMinute::postponed),
				millis(history, QueueMinute::meanWait), millis(history, QueueMinute::maxWait),
				millis(history, QueueMinute::meanHandling), millis(history, QueueMinute::maxHandling),
				numbers(history, QueueMinute::ready), LastMinute.of(history.lastMinute()));
	}

	static List<Long> numbers(QueueHistory history, ToLongFunction<QueueMinute> number) {
		return history.minutes().stream().map(number::applyAsLong).toList();
	}

	static List<Double> millis(QueueHistory history, Function<QueueMinute, Duration> duration) {
		return history.minutes().stream().map((minute) -> RecordView.millis(duration.apply(minute))).toList();
	}

	/**
	 * What happened in the last sixty seconds.
	 *
	 * @param sent how many messages were sent
	 * @param handled how many were acknowledged
	 * @param failed how many attempts failed
	 * @param dead how many messages died
	 */
	record LastMinute(long sent, long handled, long failed, long dead) {

		static LastMinute of(QueueMinute minute) {
			return new LastMinute(minute.sent(), minute.handled(), minute.failed(), minute.dead());
		}

	}

}
