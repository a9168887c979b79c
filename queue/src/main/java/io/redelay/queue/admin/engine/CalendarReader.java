package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.QueueCalendar;
import io.redelay.queue.admin.QueueFigures;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueLimit;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.QueueLimits;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CalendarScript;
import io.redelay.queue.script.admin.FarScript;
import org.jspecify.annotations.Nullable;

/**
 * Counts when how many scheduled messages are due, and how long handlers need for them.
 */
record CalendarReader(AdminScripts store, QueueLimitAdmin limits, HistoryReader histories) {

	/**
	 * Reads a calendar: one count for each bar and partition.
	 * @param now what was found of the queue just now
	 * @param instances the running instances
	 */
	QueueCalendar read(List<String> partitions, QueueSnapshot now, List<InstanceInfo> instances,
			QueueCalendar.Span span, ZoneId zone) {
		QueueInfo info = now.info();
		QueueFigures figures = now.diagnosis().figures();
		Instant time = now.diagnosis().time();
		List<Instant> times = CalendarTimes.of(time, span, zone);
		long[] due = count(partitions, times);
		Double perSecond = info.paused() ? null : perSecond(info.queue(), figures, instances);
		List<QueueCalendar.Bar> bars = bars(times, due, info, time, perSecond);
		long shown = bars.stream().mapToLong(QueueCalendar.Bar::due).sum();
		return new QueueCalendar(info.queue(), time, span, zone, bars, info.ready(), Math.max(shown, info.scheduled()),
				Math.max(0, info.scheduled() - shown), figures.retrying(), info.paused(), perSecond);
	}

	private long[] count(List<String> partitions, List<Instant> times) {
		List<Instant> asked = new ArrayList<>(times);
		// A message that is due now is ready.
		asked.set(0, times.get(0).plusMillis(1));
		CalendarScript script = new CalendarScript(this.store.runner());
		long[] due = new long[times.size() - 1];
		partitions.stream().map((partition) -> script.run(partition, asked)).toList().forEach((asking) -> {
			List<Long> counts = StoreCalls.await(asking);
			for (int i = 0; i < due.length; i++) {
				due[i] += counts.get(i);
			}
		});
		partitions.forEach((partition) -> countPacked(partition, asked, due));
		return due;
	}

	/**
	 * Counts packed messages: those of a chunk are thought to be due evenly between its
	 * first and its last one.
	 */
	private void countPacked(String partition, List<Instant> times, long[] due) {
		Instant end = times.get(times.size() - 1);
		FarScript.Chunk last = null;
		FarScript.Chunks found;
		double[] packed = new double[due.length];
		do {
			found = StoreCalls.await(this.store.far().chunks(partition, false, FarScript.MAX_SPANS, end, last));
			for (FarScript.Chunk chunk : found.chunks()) {
				for (int i = 0; i < packed.length; i++) {
					packed[i] += chunk.left()
							* chunk.share(times.get(i).toEpochMilli(), times.get(i + 1).toEpochMilli());
				}
				last = chunk;
			}
		}
		while (found.hasNext() && !found.chunks().isEmpty());
		for (int i = 0; i < due.length; i++) {
			due[i] += Math.round(packed[i]);
		}
	}

	/**
	 * The work of a bar is thought to come evenly, and handlers do what is left of
	 * earlier bars before it.
	 */
	private static List<QueueCalendar.Bar> bars(List<Instant> times, long[] due, QueueInfo info, Instant now,
			@Nullable Double perSecond) {
		double left = 0; // seconds of work
		if (perSecond != null) {
			Instant gate = Objects.requireNonNullElse(info.gatedUntil(), now);
			left = info.ready() / perSecond + Math.max(0, Duration.between(now, gate).toMillis() / 1000.0);
		}
		List<QueueCalendar.Bar> bars = new ArrayList<>();
		for (int i = 0; i < due.length; i++) {
			Instant from = times.get(i);
			Instant to = times.get(i + 1);
			if (perSecond == null) {
				bars.add(new QueueCalendar.Bar(from, to, due[i], null, null));
				continue;
			}
			double needed = due[i] / perSecond;
			left = Math.max(0, left + needed - Duration.between(from, to).toMillis() / 1000.0);
			bars.add(new QueueCalendar.Bar(from, to, due[i], seconds(needed), seconds(left)));
		}
		return bars;
	}

	private static Duration seconds(double seconds) {
		return Duration.ofMillis((long) Math.ceil(seconds * 1000));
	}

	/**
	 * How many messages the handlers can do a second: as many as they are, or as limits
	 * allow, in the time that one takes.
	 */
	private @Nullable Double perSecond(String queue, QueueFigures figures, List<InstanceInfo> instances) {
		Duration handling = (figures.meanHandling() != null) ? figures.meanHandling() : ofLastHour(queue);
		if (figures.concurrency() == 0 || handling == null) {
			return null;
		}
		QueueLimits limits = this.limits.of(queue);
		List<ListenedQueue> listened = InstanceDirectory.listened(instances)
			.filter((each) -> each.queue().equals(queue))
			.toList();
		double most = Math.min(figures.concurrency(),
				allowed(limits, QueueLimit.MAX_IN_FLIGHT, listened.stream().map(ListenedQueue::sharedMaxInFlight)));
		double rate = allowed(limits, QueueLimit.RATE_LIMIT, listened.stream().map(ListenedQueue::sharedRateLimit));
		double perSecond = Math.min(rate, most * 1e9 / Math.max(1, handling.toNanos()));
		return Math.max(0.001, Math.round(perSecond * 1000) / 1000.0);
	}

	/**
	 * What a limit of the queue and that which it shares allow. Instances that declare
	 * different ones each claim by their own.
	 */
	private static double allowed(QueueLimits limits, QueueLimit limit, Stream<? extends @Nullable Object> shared) {
		return Math.min(highest(limits.of(limit).inForce().stream()),
				highest(shared.filter(Objects::nonNull).map(Object::toString)));
	}

	private static double highest(Stream<String> values) {
		return values.mapToDouble(CalendarReader::number).max().orElse(Double.POSITIVE_INFINITY);
	}

	private static double number(String value) {
		if (value.indexOf('/') < 0) {
			return Double.parseDouble(value);
		}
		RateLimit rate = RateLimit.parse(value);
		return rate.count() * 1e9 / rate.period().toNanos();
	}

	/**
	 * How long handlers took in the last hour, where none was at work lately.
	 */
	private @Nullable Duration ofLastHour(String queue) {
		long handled = 0;
		double nanos = 0;
		for (QueueMinute minute : this.histories.read(queue).minutes()) {
			long count = minute.meanHandling().isZero() ? 0 : Math.max(1, minute.handled());
			handled += count;
			nanos += (double) count * minute.meanHandling().toNanos();
		}
		return (handled > 0) ? Duration.ofNanos((long) (nanos / handled)) : null;
	}

}
