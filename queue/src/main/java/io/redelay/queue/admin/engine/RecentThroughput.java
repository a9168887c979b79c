package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.diagnosis.Throughput;
import io.redelay.queue.measure.CountsRecorder;
import io.redelay.queue.script.admin.StatsKey;
import org.jspecify.annotations.Nullable;

/**
 * Computes from the history of a queue what became of its messages lately: in the current
 * minute and the one before.
 */
final class RecentThroughput {

	/**
	 * A minute that has just begun may have counts of the seconds before, because they
	 * are written every {@link CountsRecorder#INTERVAL}. So no rate is of less time than
	 * that.
	 */
	private static final int MINUTES = 2;

	/**
	 * From how much of the current minute on its arrivals are used alone, if those of the
	 * minute before are unknown: the counts of the last seconds are not written yet.
	 */
	private static final Duration ENOUGH = CountsRecorder.INTERVAL.multipliedBy(3);

	/**
	 * The longest wait of a message that has no ready message before it.
	 */
	private static final Duration AT_ONCE = Duration.ofSeconds(1);

	private RecentThroughput() {
	}

	/**
	 * What became of messages lately.
	 * @param oldest how long the oldest ready message has been due; zero if none is
	 * @return the sums, or {@code null} if nothing was counted in the last hour: nothing
	 * happened, or no instance counts
	 */
	static @Nullable Throughput of(String queue, List<StatsKey.History> partitions, Duration oldest) {
		if (partitions.stream().allMatch((partition) -> partition.minutes().isEmpty())) {
			return null;
		}
		QueueHistory history = HistoryReader.history(queue, partitions);
		List<QueueMinute> recent = history.minutes().subList(QueueHistory.MINUTES - MINUTES, QueueHistory.MINUTES);
		if (isEmpty(recent.get(0))) {
			recent = recent.subList(1, MINUTES);
		}
		Duration span = since(recent.get(0), history);
		Throughput.Trend trend = RecentTrend.of(partitions);
		Double lately = (trend != null) ? trend.arrivedPerSecond() : null;
		return new Throughput(span, sum(recent, QueueMinute::sent), sum(recent, QueueMinute::handled),
				sum(recent, QueueMinute::failed), sum(recent, QueueMinute::postponed),
				new Throughput.Times(mean(recent, QueueMinute::meanWait), longest(recent),
						mean(recent, QueueMinute::meanHandling)),
				new Throughput.Deaths(sum(recent, QueueMinute::dead), sum(history.minutes(), QueueMinute::dead)),
				new Throughput.Arrivals(
						(lately != null) ? lately : arrivedPerSecond(partitions, history, recent, oldest), trend));
	}

	private static long sum(List<QueueMinute> minutes, ToLongFunction<QueueMinute> number) {
		return minutes.stream().mapToLong(number).sum();
	}

	/**
	 * The time from the start of a minute to the end of the history, at least as long as
	 * counts may be late.
	 */
	private static Duration since(QueueMinute minute, QueueHistory history) {
		Duration counted = Duration.between(minute.start(), history.time());
		return (counted.compareTo(CountsRecorder.INTERVAL) > 0) ? counted : CountsRecorder.INTERVAL;
	}

	/**
	 * How many messages became ready a second in the recent minutes, or in the current
	 * one if it is unknown how many were ready before the earlier one.
	 * @return how many, or {@code null} if it is unknown before both
	 */
	private static @Nullable Double arrivedPerSecond(List<StatsKey.History> partitions, QueueHistory history,
			List<QueueMinute> recent, Duration oldest) {
		for (int i = 0; i < recent.size(); i++) {
			Duration span = since(recent.get(i), history);
			Long grown = (i == 0 || span.compareTo(ENOUGH) >= 0)
					? grown(partitions, minute(recent.get(i)), oldest.compareTo(span) < 0) : null;
			if (grown != null) {
				long left = recent.subList(i, recent.size())
					.stream()
					.mapToLong((minute) -> minute.handled() + minute.dead())
					.sum();
				return Math.max(0, left + grown) * 1e9 / span.toNanos();
			}
		}
		return null;
	}

	private static long minute(QueueMinute minute) {
		return minute.start().getEpochSecond() / 60;
	}

	/**
	 * By how much the number of ready messages has grown since a minute began.
	 * @param isNew whether all that are ready became so since then
	 * @return the growth, or {@code null} if it is unknown of a partition
	 */
	private static @Nullable Long grown(List<StatsKey.History> partitions, long first, boolean isNew) {
		long sum = 0;
		for (StatsKey.History partition : partitions) {
			Long before = readyBefore(partition, first, isNew);
			if (before == null) {
				return null;
			}
			sum += partition.ready() - before;
		}
		return sum;
	}

	/**
	 * How many messages of a partition were ready when a minute began. If nothing was
	 * counted in the minute before, an earlier count serves only if there are no more
	 * now: messages become due while nothing is counted. There were none if the ready
	 * messages became so later, and the handled ones had not waited.
	 */
	private static @Nullable Long readyBefore(StatsKey.History partition, long first, boolean isNew) {
		StatsKey.History.Minute before = partition.minutes().get(first - 1);
		Long ready = (before != null) ? before.ready() : null;
		if (ready != null) {
			return ready;
		}
		List<StatsKey.History.Minute> since = partition.minutes()
			.entrySet()
			.stream()
			.filter((each) -> each.getKey() >= first)
			.map(Map.Entry::getValue)
			.toList();
		boolean waited = since.stream().anyMatch((each) -> each.counts().waitMillis().max() > AT_ONCE.toMillis());
		if (partition.ready() == 0 || isNew) {
			return waited ? null : Long.valueOf(0);
		}
		return (since.isEmpty() && lastKnown(partition, first) == partition.ready()) ? partition.ready() : null;
	}

	private static long lastKnown(StatsKey.History partition, long first) {
		Long known = partition.minutes()
			.entrySet()
			.stream()
			.filter((each) -> each.getKey() < first && each.getValue().ready() != null)
			.max(Map.Entry.comparingByKey())
			.map((each) -> each.getValue().ready())
			.orElse(null);
		return (known != null) ? known : -1;
	}

	private static boolean isEmpty(QueueMinute minute) {
		return minute.sent() + minute.handled() + minute.failed() + minute.postponed() == 0;
	}

	/**
	 * The mean of the minutes' means, each weighted by its attempts.
	 */
	private static @Nullable Duration mean(List<QueueMinute> minutes, Mean mean) {
		double nanos = 0;
		long attempts = 0;
		for (QueueMinute minute : minutes) {
			long ended = minute.handled() + minute.failed() + minute.postponed();
			nanos += (double) mean.of(minute).toNanos() * ended;
			attempts += ended;
		}
		return (attempts > 0) ? Duration.ofNanos((long) (nanos / attempts)) : null;
	}

	private static @Nullable Duration longest(List<QueueMinute> minutes) {
		Duration longest = minutes.stream().map(QueueMinute::maxWait).max(Duration::compareTo).orElse(Duration.ZERO);
		return longest.isZero() ? null : longest;
	}

	/**
	 * A mean of a minute.
	 */
	@FunctionalInterface
	private interface Mean {

		Duration of(QueueMinute minute);

	}

}
