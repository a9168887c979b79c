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
 * @since 0.1.0
 */
record HistoryView(Instant from, long stepMillis, List<Long> sent, List<Long> handled, List<Long> failed,
		List<Long> dead, List<Long> postponed, List<Double> waitMillis, List<Double> waitMaxMillis,
		List<Double> handlingMillis, List<Double> handlingMaxMillis, List<Long> depth) {

	private static final Duration STEP = Duration.ofMinutes(1);

	static HistoryView of(QueueHistory history) {
		return new HistoryView(history.from(), STEP.toMillis(), numbers(history, QueueMinute::sent),
				numbers(history, QueueMinute::handled), numbers(history, QueueMinute::failed),
				numbers(history, QueueMinute::dead), numbers(history, QueueMinute::postponed),
				millis(history, QueueMinute::meanWait), millis(history, QueueMinute::maxWait),
				millis(history, QueueMinute::meanHandling), millis(history, QueueMinute::maxHandling),
				numbers(history, QueueMinute::ready));
	}

	static List<Long> numbers(QueueHistory history, ToLongFunction<QueueMinute> number) {
		return history.minutes().stream().map(number::applyAsLong).toList();
	}

	static List<Double> millis(QueueHistory history, Function<QueueMinute, Duration> duration) {
		return history.minutes().stream().map((minute) -> RecordView.millis(duration.apply(minute))).toList();
	}

	/**
	 * How often something happened in the last sixty seconds: the running minute, and of
	 * the one before as large a part as is missing.
	 */
	static double lastMinute(QueueHistory history, ToLongFunction<QueueMinute> number) {
		List<QueueMinute> minutes = history.minutes();
		QueueMinute running = minutes.get(minutes.size() - 1);
		double passed = Math.min(1,
				Math.max(0, Duration.between(running.start(), history.time()).toMillis() / 60_000d));
		double before = number.applyAsLong(minutes.get(minutes.size() - 2)) * (1 - passed);
		return Math.round((number.applyAsLong(running) + before) * 10) / 10d;
	}

}
