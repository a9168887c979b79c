package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.admin.LongHistory;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.StatsKey;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counts of queues in the last day or month, and adds up their partitions.
 */
record LongHistoryReader(AdminScripts store) {

	/**
	 * How many steps of a day make one of a month.
	 */
	private static final long STEPS = LongHistory.Span.MONTH.step().dividedBy(LongHistory.Span.DAY.step());

	LongHistory read(String queue, List<String> partitions, LongHistory.Span span) {
		List<CompletableFuture<StatsKey.LongRing>> asked = partitions.stream().map((partition) -> switch (span) {
			case DAY -> day(partition);
			case MONTH -> new StatsKey(this.store.runner()).read(partition, StatsKey.Ring.MONTH);
		}).toList();
		return history(queue, asked.stream().map(StoreCalls::await).toList(), span);
	}

	/**
	 * Reads a day. How many messages were ready before is in the month, if nothing has
	 * touched them for so long that the day does not know it any more.
	 */
	private CompletableFuture<StatsKey.LongRing> day(String partition) {
		StatsKey stats = new StatsKey(this.store.runner());
		return stats.read(partition, StatsKey.Ring.DAY).thenCompose((day) -> {
			long first = first(day.time(), LongHistory.Span.DAY);
			if (lastReady(day, first + 1) != null) {
				return CompletableFuture.completedFuture(day);
			}
			long touched = day.steps()
				.keySet()
				.stream()
				.filter((step) -> step >= first)
				.min(Long::compareTo)
				.orElse(first + STEPS);
			return stats.read(partition, StatsKey.Ring.MONTH).thenApply((month) -> {
				Long ready = lastReady(month, touched / STEPS);
				Map<Long, StatsKey.LongRing.Step> steps = new HashMap<>(day.steps());
				steps.put(first - 1, new StatsKey.LongRing.Step(QueueCounts.NONE, 0, ready));
				return new StatsKey.LongRing(day.time(), day.ready(), steps);
			});
		});
	}

	private static long first(Instant time, LongHistory.Span span) {
		return time.toEpochMilli() / span.step().toMillis() - span.steps() + 1;
	}

	/**
	 * How many messages were ready at last before a step.
	 */
	private static @Nullable Long lastReady(StatsKey.LongRing ring, long before) {
		return ring.steps()
			.entrySet()
			.stream()
			.filter((step) -> step.getKey() < before && step.getValue().lastReady() != null)
			.max(Map.Entry.comparingByKey())
			.map((step) -> step.getValue().lastReady())
			.orElse(null);
	}

	/**
	 * Adds up the rings of the partitions of a queue. Steps that are none of the span, as
	 * of an earlier round, are left out.
	 */
	static LongHistory history(String queue, List<StatsKey.LongRing> partitions, LongHistory.Span span) {
		Instant time = partitions.stream().map(StatsKey.LongRing::time).max(Instant::compareTo).orElseThrow();
		long millis = span.step().toMillis();
		long first = first(time, span);
		long[] ready = new long[span.steps()];
		partitions.forEach((partition) -> addReady(ready, partition, first));
		List<QueueMinute> steps = new ArrayList<>(span.steps());
		for (int i = 0; i < span.steps(); i++) {
			QueueCounts sum = QueueCounts.NONE;
			for (StatsKey.LongRing partition : partitions) {
				StatsKey.LongRing.Step counted = partition.steps().get(first + i);
				sum = (counted != null) ? sum.plus(counted.counts()) : sum;
			}
			steps.add(HistoryReader.minute(Instant.ofEpochMilli((first + i) * millis), sum, ready[i]));
		}
		return new LongHistory(queue, time, span, steps);
	}

	/**
	 * Adds how many messages of a partition were ready at most: as many as at last, where
	 * nothing happened.
	 */
	private static void addReady(long[] ready, StatsKey.LongRing partition, long first) {
		Long before = lastReady(partition, first);
		long known = (before != null) ? before : 0;
		for (int i = 0; i < ready.length; i++) {
			StatsKey.LongRing.Step step = partition.steps().get(first + i);
			long most = known;
			if (step != null && step.lastReady() != null) {
				most = step.mostReady();
				known = step.lastReady();
			}
			ready[i] += (i < ready.length - 1) ? most : Math.max(most, partition.ready());
		}
	}

}
