package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of a queue, after it has expired those whose time to live is over.
 * An instance that only reads leaves those to others.
 */
record QueueCounter(AdminScripts store, ExpiredMessages expired) {

	CountScript.Counts count(String queue) {
		CountScript.Counts counts = StoreCalls.await(this.store.count().run(queue));
		if (counts.messages().overdue() == 0 || this.store.runner().isReading()) {
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
		return sum(queue, partitions.stream().map(this::count).toList());
	}

	/**
	 * Adds up what the partitions of a queue have.
	 */
	static QueueInfo sum(String queue, List<CountScript.Counts> counts) {
		CountScript.Messages messages = counts.stream()
			.map(CountScript.Counts::messages)
			.reduce(CountScript.Messages::plus)
			.orElseThrow();
		return new QueueInfo(queue, messages.scheduled(), messages.ready(), messages.inFlight(), messages.dead(),
				counts.stream()
					.map(CountScript.Counts::nextDue)
					.filter(Objects::nonNull)
					.min(Comparator.naturalOrder())
					.orElse(null),
				counts.stream().map(QueueCounter::oldestReadyAge).max(Comparator.naturalOrder()).orElseThrow(),
				counts.stream().anyMatch((each) -> each.status().paused()),
				counts.stream().anyMatch((each) -> each.status().closed()),
				counts.stream()
					.map((each) -> each.status().gatedUntil())
					.filter(Objects::nonNull)
					.max(Comparator.naturalOrder())
					.orElse(null),
				messages.completed(), counts.stream().mapToLong(CountScript.Counts::completedBytes).sum(),
				counts.stream().mapToLong(CountScript.Counts::deadBytes).sum(), messages.inlet(), messages.packed());
	}

	static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
		return (one != null && (other == null || one.isAfter(other))) ? one : other;
	}

	private static Duration oldestReadyAge(CountScript.Counts counts) {
		Instant due = counts.oldestDue();
		return (due != null && due.isBefore(counts.time())) ? Duration.between(due, counts.time()) : Duration.ZERO;
	}

}
