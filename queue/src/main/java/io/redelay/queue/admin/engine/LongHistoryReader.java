package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.admin.LongHistory;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.StatsKey;

/**
 * Reads the counts of queues in the last day or month, and adds up their partitions.
 */
record LongHistoryReader(AdminScripts store) {

	LongHistory read(String queue, List<String> partitions, LongHistory.Span span) {
		StatsKey.Ring ring = switch (span) {
			case DAY -> StatsKey.Ring.DAY;
			case MONTH -> StatsKey.Ring.MONTH;
		};
		List<CompletableFuture<StatsKey.LongRing>> asked = partitions.stream()
			.map((partition) -> new StatsKey(this.store.runner()).read(partition, ring))
			.toList();
		return history(queue, asked.stream().map(StoreCalls::await).toList(), span);
	}

	/**
	 * Adds up the rings of the partitions of a queue. Steps that are none of the span, as
	 * of an earlier round, are left out.
	 */
	static LongHistory history(String queue, List<StatsKey.LongRing> partitions, LongHistory.Span span) {
		Instant time = partitions.stream().map(StatsKey.LongRing::time).max(Instant::compareTo).orElseThrow();
		long millis = span.step().toMillis();
		long first = time.toEpochMilli() / millis - span.steps() + 1;
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
		long known = 0;
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
