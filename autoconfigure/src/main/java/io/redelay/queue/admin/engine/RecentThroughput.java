package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.diagnosis.Throughput;
import io.redelay.queue.measure.CountsRecorder;
import io.redelay.queue.store.StoredHistory;
import org.jspecify.annotations.Nullable;

/**
 * Makes of the history of a queue what became of its messages lately: in the minute that
 * runs and the one before.
 */
final class RecentThroughput {

	/**
	 * A minute that has just begun may have counts of the seconds before, for they are
	 * written every {@link CountsRecorder#INTERVAL}, so no rate is of less time than
	 * that.
	 */
	private static final int MINUTES = 2;

	private RecentThroughput() {
	}

	/**
	 * What became of messages lately.
	 * @return the sums, or {@code null} if nothing was counted in the last hour: nothing
	 * happened, or nobody counts
	 */
	static @Nullable Throughput of(String queue, List<StoredHistory> partitions) {
		if (partitions.stream().allMatch((partition) -> partition.minutes().isEmpty())) {
			return null;
		}
		QueueHistory history = HistoryReader.history(queue, partitions);
		List<QueueMinute> recent = history.minutes().subList(QueueHistory.MINUTES - MINUTES, QueueHistory.MINUTES);
		if (isEmpty(recent.get(0))) {
			recent = recent.subList(1, MINUTES);
		}
		long sent = 0;
		long handled = 0;
		long failed = 0;
		long postponed = 0;
		long dead = 0;
		for (QueueMinute minute : recent) {
			sent += minute.sent();
			handled += minute.handled();
			failed += minute.failed();
			postponed += minute.postponed();
			dead += minute.dead();
		}
		Duration counted = Duration.between(recent.get(0).start(), history.time());
		Duration span = (counted.compareTo(CountsRecorder.INTERVAL) > 0) ? counted : CountsRecorder.INTERVAL;
		return new Throughput(span, sent, handled, failed, postponed, mean(recent, QueueMinute::meanWait),
				longest(recent), mean(recent, QueueMinute::meanHandling),
				history.minutes().stream().mapToLong(QueueMinute::dead).sum(), dead,
				readyBefore(partitions, recent.get(0).start().getEpochSecond() / 60));
	}

	/**
	 * How many messages were ready at the end of the minute before. A count of an earlier
	 * one does not serve: messages become due while nothing is counted.
	 * @return how many, or {@code null} if it is unknown of a partition that is in use
	 */
	private static @Nullable Long readyBefore(List<StoredHistory> partitions, long minute) {
		long sum = 0;
		for (StoredHistory partition : partitions) {
			StoredHistory.Minute before = partition.minutes().get(minute - 1);
			Long ready = (before != null) ? before.ready() : null;
			if (ready != null) {
				sum += ready;
			}
			else if (partition.ready() > 0 || !partition.minutes().isEmpty()) {
				return null;
			}
		}
		return sum;
	}

	private static boolean isEmpty(QueueMinute minute) {
		return minute.sent() + minute.handled() + minute.failed() + minute.postponed() == 0;
	}

	/**
	 * The mean of the minutes' means, each as often as attempts ended in it.
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
