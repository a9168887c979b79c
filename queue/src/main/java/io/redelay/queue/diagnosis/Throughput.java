package io.redelay.queue.diagnosis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The recent throughput of a queue, in all instances.
 *
 * @param span over which time it was counted
 * @param sent how many were sent
 * @param handled how many were done
 * @param failed how many attempts failed
 * @param postponed how many attempts ended without a failure counted, because a lock or a
 * permit was missing
 * @param times how long messages waited and were handled
 * @param died how many messages died
 * @param arrivals how many became ready
 * @since 0.1.0
 */
public record Throughput(Duration span, long sent, long handled, long failed, long postponed, Times times, Deaths died,
		Arrivals arrivals) {

	@Nullable Double arrivedPerSecond() {
		return this.arrivals.perSecond;
	}

	@Nullable Trend trend() {
		return this.arrivals.trend;
	}

	double perSecond(long count) {
		return count * 1e9 / Math.max(1, this.span.toNanos());
	}

	/**
	 * How many messages were done or died a second.
	 */
	double leftPerSecond() {
		return perSecond(this.handled + this.died.lately);
	}

	/**
	 * How long messages waited and were handled; {@code null} if none was handled.
	 *
	 * @param meanWait how long they waited from their due time to their handler, on the
	 * average
	 * @param maxWait the longest such time
	 * @param meanHandling how long handlers took, on the average
	 */
	public record Times(@Nullable Duration meanWait, @Nullable Duration maxWait, @Nullable Duration meanHandling) {

	}

	/**
	 * How many messages became ready.
	 *
	 * @param perSecond how many a second: those that left, and the growth of the ready
	 * ones. A message with a delay does not arrive until it is due. {@code null} if it is
	 * unknown how many were ready before
	 * @param trend whether the ready ones become fewer, by the counts of the last
	 * seconds; {@code null} if there are none
	 */
	public record Arrivals(@Nullable Double perSecond, @Nullable Trend trend) {

	}

	/**
	 * How many messages died.
	 *
	 * @param lately how many in the span
	 * @param lastHour how many in the last hour
	 */
	public record Deaths(long lately, long lastHour) {

	}

	/**
	 * Whether the ready messages become fewer, by the counts of the last seconds.
	 *
	 * @param drainPerSecond by how many a second, new ones included; {@code null} if they
	 * do not, or if it is not known yet
	 * @param arrivedPerSecond how many became ready a second meanwhile, if it is known
	 * @param steady whether they have not become fewer for half a minute
	 */
	public record Trend(@Nullable Double drainPerSecond, @Nullable Double arrivedPerSecond, boolean steady) {

	}

}
