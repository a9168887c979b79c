package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.LongHistory;
import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueMinute;
import org.jspecify.annotations.Nullable;

/**
 * The last hour, day or month of a queue, as charts take it: a number a step, the oldest
 * first; the last step is not over.
 *
 * @param from when the first step began
 * @param stepMillis how long a step is
 * @param sent how many messages were sent
 * @param handled how many were acknowledged
 * @param failed how many attempts failed
 * @param dead how many messages died
 * @param postponed how many were given back with no attempt counted
 * @param waits how many waits were measured
 * @param waitMillis how long messages waited for their handler, on the average
 * @param waitMaxMillis how long one waited at most
 * @param runs how many runs of handlers were measured
 * @param handlingMillis how long handlers took, on the average
 * @param handlingMaxMillis how long one took at most
 * @param depth how many messages were ready at the end of a minute, or at most in another
 * step
 * @param lastMinute the counts of the last sixty seconds, of the last hour only
 * @param marks what happened around the queue in that time, the oldest first
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record HistoryView(Instant from, long stepMillis, List<Long> sent, List<Long> handled, List<Long> failed,
		List<Long> dead, List<Long> postponed, List<Long> waits, List<Double> waitMillis, List<Double> waitMaxMillis,
		List<Long> runs, List<Double> handlingMillis, List<Double> handlingMaxMillis, List<Long> depth,
		@Nullable LastMinute lastMinute, List<Map<String, Object>> marks) {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	static HistoryView of(QueueHistory history, List<HistoryMark> marks) {
		return of(history.minutes(), MINUTE, LastMinute.of(history.lastMinute()), marks);
	}

	static HistoryView of(LongHistory history, List<HistoryMark> marks) {
		return of(history.steps(), history.span().step(), null, marks);
	}

	private static HistoryView of(List<QueueMinute> steps, Duration step, @Nullable LastMinute lastMinute,
			List<HistoryMark> marks) {
		Instant from = steps.get(0).start();
		return new HistoryView(from, step.toMillis(), numbers(steps, QueueMinute::sent),
				numbers(steps, QueueMinute::handled), numbers(steps, QueueMinute::failed),
				numbers(steps, QueueMinute::dead), numbers(steps, QueueMinute::postponed),
				numbers(steps, QueueMinute::waits), millis(steps, QueueMinute::meanWait),
				millis(steps, QueueMinute::maxWait), numbers(steps, QueueMinute::runs),
				millis(steps, QueueMinute::meanHandling), millis(steps, QueueMinute::maxHandling),
				numbers(steps, QueueMinute::ready), lastMinute,
				marks.stream().filter((mark) -> !mark.time().isBefore(from)).map(RecordView::of).toList());
	}

	static List<Long> numbers(List<QueueMinute> steps, ToLongFunction<QueueMinute> number) {
		return steps.stream().map(number::applyAsLong).toList();
	}

	static List<Double> millis(List<QueueMinute> steps, Function<QueueMinute, Duration> duration) {
		return steps.stream().map((step) -> RecordView.millis(duration.apply(step))).toList();
	}

	/**
	 * How far a history looks back.
	 */
	enum Span {

		HOUR, DAY, MONTH

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
