package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.StatsKey;

/**
 * Reads the counts of queues in the last hour, and adds up their partitions.
 */
record HistoryReader(AdminScripts store, KnownPartitions partitions) {

	/**
	 * How many partitions are asked for at a time.
	 */
	private static final int AT_A_TIME = 100;

	QueueHistory read(String queue) {
		return history(queue, readAll(this.partitions.of(queue)));
	}

	/**
	 * Reads the histories of queues, a hundred partitions at a time.
	 */
	Map<String, QueueHistory> read(Collection<String> queues) {
		Map<String, List<String>> partitions = new LinkedHashMap<>();
		queues.forEach((queue) -> partitions.put(queue, this.partitions.of(queue)));
		List<StatsKey.History> read = readAll(partitions.values().stream().flatMap(List::stream).toList());
		Map<String, QueueHistory> histories = new LinkedHashMap<>();
		int first = 0;
		for (Map.Entry<String, List<String>> queue : partitions.entrySet()) {
			int end = first + queue.getValue().size();
			histories.put(queue.getKey(), history(queue.getKey(), read.subList(first, end)));
			first = end;
		}
		return histories;
	}

	private List<StatsKey.History> readAll(List<String> partitions) {
		List<StatsKey.History> read = new ArrayList<>(partitions.size());
		for (int first = 0; first < partitions.size(); first += AT_A_TIME) {
			List<CompletableFuture<StatsKey.History>> asked = partitions
				.subList(first, Math.min(partitions.size(), first + AT_A_TIME))
				.stream()
				.map(new StatsKey(this.store.runner())::read)
				.toList();
			asked.forEach((answer) -> read.add(StoreCalls.await(answer)));
		}
		return read;
	}

	/**
	 * Adds up the histories of the partitions of a queue.
	 */
	static QueueHistory history(String queue, List<StatsKey.History> partitions) {
		Instant time = partitions.stream().map(StatsKey.History::time).max(Instant::compareTo).orElseThrow();
		long last = time.getEpochSecond() / 60;
		long[] ready = new long[QueueHistory.MINUTES];
		partitions.forEach((partition) -> addReady(ready, partition, last));
		List<QueueMinute> minutes = new ArrayList<>(QueueHistory.MINUTES);
		for (int i = 0; i < QueueHistory.MINUTES; i++) {
			minutes.add(minute(partitions, last - QueueHistory.MINUTES + 1 + i, ready[i]));
		}
		return new QueueHistory(queue, time, List.copyOf(minutes), lastMinute(partitions, time, minutes));
	}

	/**
	 * Adds how many messages of a partition were ready: as many as before, where nothing
	 * happened.
	 */
	private static void addReady(long[] ready, StatsKey.History partition, long last) {
		long known = 0;
		for (int i = 0; i < ready.length - 1; i++) {
			StatsKey.History.Minute minute = partition.minutes().get(last - ready.length + 1 + i);
			Long then = (minute != null) ? minute.ready() : null;
			known = (then != null) ? then : known;
			ready[i] += known;
		}
		ready[ready.length - 1] += partition.ready();
	}

	private static QueueMinute minute(List<StatsKey.History> partitions, long minute, long ready) {
		QueueCounts sum = QueueCounts.NONE;
		for (StatsKey.History partition : partitions) {
			StatsKey.History.Minute counted = partition.minutes().get(minute);
			sum = (counted != null) ? sum.plus(counted.counts()) : sum;
		}
		return minute(Instant.ofEpochSecond(minute * 60), sum, ready);
	}

	/**
	 * The counts of the slots of the last sixty seconds.
	 */
	private static QueueMinute lastMinute(List<StatsKey.History> partitions, Instant time, List<QueueMinute> minutes) {
		Instant start = time.minusSeconds(60);
		QueueCounts sum = QueueCounts.NONE;
		for (StatsKey.History partition : partitions) {
			for (Map.Entry<Long, StatsKey.History.Slot> slot : partition.slots().entrySet()) {
				boolean isRecent = slot.getKey() * StatsKey.History.SLOT_MILLIS >= start.toEpochMilli();
				sum = isRecent ? sum.plus(slot.getValue().counts()) : sum;
			}
		}
		return minute(start, sum, minutes.get(minutes.size() - 1).ready());
	}

	static QueueMinute minute(Instant start, QueueCounts sum, long ready) {
		return new QueueMinute(start, sum.sent(), sum.handled(), sum.failed(), sum.dead(), sum.returned(),
				sum.waitMillis().number(), Duration.ofMillis(sum.waitMillis().mean()),
				Duration.ofMillis(sum.waitMillis().max()), sum.handlingMicros().number(),
				micros(sum.handlingMicros().mean()), micros(sum.handlingMicros().max()), ready);
	}

	private static Duration micros(long micros) {
		return Duration.of(micros, ChronoUnit.MICROS);
	}

}
