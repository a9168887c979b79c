package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of a queue, after it has expired those whose time to live is over.
 */
record QueueCounter(AdminScripts store, ExpiredMessages expired) {

	CountScript.Counts count(String queue) {
		CountScript.Counts counts = StoreCalls.await(this.store.count().run(queue));
		if (counts.overdue() == 0) {
			return counts;
		}
		StoreCalls.await(this.expired.expire(queue));
		return StoreCalls.await(this.store.count().run(queue));
	}

	/**
	 * Expires messages of partitions whose time to live is over.
	 * @param partitions the names that the store has for them
	 * @return the partitions
	 */
	List<String> expire(List<String> partitions) {
		partitions.forEach(this::count);
		return partitions;
	}

	/**
	 * Counts the messages of the partitions of a queue.
	 * @param partitions the names that the store has for them
	 * @return the sums; paused, closed or gated if one of them is
	 */
	QueueInfo info(String queue, List<String> partitions) {
		return partitions.stream()
			.map((partition) -> info(queue, count(partition)))
			.reduce(QueueCounter::sum)
			.orElseThrow();
	}

	/**
	 * Adds up what the partitions of a queue have.
	 */
	static QueueInfo sum(String queue, List<CountScript.Counts> counts) {
		return counts.stream().map((each) -> info(queue, each)).reduce(QueueCounter::sum).orElseThrow();
	}

	private static QueueInfo sum(QueueInfo one, QueueInfo other) {
		return new QueueInfo(one.queue(), one.scheduled() + other.scheduled(), one.ready() + other.ready(),
				one.inFlight() + other.inFlight(), one.dead() + other.dead(),
				Stream.of(one, other)
					.map(QueueInfo::nextDue)
					.filter(Objects::nonNull)
					.min(Comparator.naturalOrder())
					.orElse(null),
				(one.oldestReadyAge().compareTo(other.oldestReadyAge()) > 0) ? one.oldestReadyAge()
						: other.oldestReadyAge(),
				one.paused() || other.paused(), one.closed() || other.closed(),
				later(one.gatedUntil(), other.gatedUntil()), one.completed() + other.completed(),
				one.completedBytes() + other.completedBytes(), one.deadBytes() + other.deadBytes(),
				one.inlet() + other.inlet());
	}

	static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
		return (one != null && (other == null || one.isAfter(other))) ? one : other;
	}

	private static QueueInfo info(String queue, CountScript.Counts counts) {
		Instant due = counts.oldestDue();
		Duration age = (due != null && due.isBefore(counts.time())) ? Duration.between(due, counts.time())
				: Duration.ZERO;
		return new QueueInfo(queue, counts.scheduled(), counts.ready(), counts.inFlight(), counts.dead(),
				counts.nextDue(), age, counts.paused(), counts.closed(), counts.gatedUntil(), counts.completed(),
				counts.completedBytes(), counts.deadBytes(), counts.inlet());
	}

}
