package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

import io.redelay.queue.diagnosis.Throughput;
import io.redelay.queue.script.admin.StatsKey.History;
import org.jspecify.annotations.Nullable;

/**
 * Computes from the counts of the last seconds whether the ready messages become fewer.
 */
final class RecentTrend {

	/**
	 * The shortest time that is looked at: counts are written every five seconds.
	 */
	private static final Duration SHORTEST = Duration.ofSeconds(4);

	/**
	 * The time after which messages that have not become fewer are taken not to do so.
	 */
	private static final Duration LONG = Duration.ofSeconds(30);

	/**
	 * The time after which counts say nothing about now.
	 */
	private static final Duration STALE = Duration.ofSeconds(15);

	/**
	 * The part of the ready messages that must have been ready at the start of a time.
	 */
	private static final double BACKLOG = 0.25;

	private RecentTrend() {
	}

	/**
	 * The trend of the shortest time in which more messages left than come and go by
	 * chance. So a burst that has ended counts no longer, and chance does not decide.
	 * @return the trend, or {@code null} if there are no counts of the last seconds
	 */
	static Throughput.@Nullable Trend of(List<History> partitions) {
		NavigableSet<Long> known = new TreeSet<>();
		partitions.forEach((partition) -> partition.slots().forEach((number, slot) -> {
			if (slot.ready() != null) {
				known.add(number);
			}
		}));
		Instant now = partitions.stream().map(History::time).max(Comparator.naturalOrder()).orElse(Instant.MAX);
		if (known.isEmpty() || Duration.between(slotStart(known.last()), now).compareTo(STALE) > 0) {
			return null;
		}
		Window longest = null;
		for (Long first : known.descendingSet()) {
			Window window = Window.of(partitions, first, known.last());
			if (window != null && window.counted().compareTo(SHORTEST) >= 0) {
				if (window.isShrinking()) {
					return new Throughput.Trend(window.drained() / seconds(window.elapsed()), window.arrivedPerSecond(),
							false);
				}
				if (window.before() < BACKLOG * window.ready()) {
					break; // a burst came since: the time before it does not count
				}
				longest = window;
			}
		}
		if (longest == null || longest.elapsed().compareTo(LONG) < 0) {
			return new Throughput.Trend(null, null, false);
		}
		return new Throughput.Trend(null, longest.arrivedPerSecond(), true);
	}

	private static Instant slotStart(long slot) {
		return Instant.ofEpochMilli(slot * History.SLOT_MILLIS);
	}

	private static double seconds(Duration time) {
		return Math.max(1, time.toNanos()) / 1e9;
	}

	/**
	 * The time from the end of a slot until now.
	 *
	 * @param elapsed how long it is
	 * @param before how many messages were ready at its start
	 * @param ready how many are ready now
	 * @param counted the part of it for which there are counts
	 * @param left how many messages left in that part
	 * @param arrived how many became ready in that part
	 */
	private record Window(Duration elapsed, long before, long ready, Duration counted, long left, long arrived) {

		static @Nullable Window of(List<History> partitions, long first, long last) {
			Instant now = partitions.stream().map(History::time).max(Comparator.naturalOrder()).orElseThrow();
			Instant start = readyAt(partitions, first);
			Instant end = readyAt(partitions, last);
			if (start == null || end == null) {
				return null;
			}
			long before = 0;
			long after = 0;
			long ready = 0;
			long left = 0;
			for (History partition : partitions) {
				before += ready(partition, first);
				after += ready(partition, last);
				ready += partition.ready();
				left += partition.slots()
					.entrySet()
					.stream()
					.filter((slot) -> slot.getKey() > first)
					.mapToLong((slot) -> slot.getValue().counts().handled() + slot.getValue().counts().dead())
					.sum();
			}
			return new Window(Duration.between(start, now), before, ready, Duration.between(start, end), left,
					Math.max(0, left + after - before));
		}

		private static @Nullable Instant readyAt(List<History> partitions, long slot) {
			return partitions.stream()
				.map((partition) -> partition.slots().get(slot))
				.filter(Objects::nonNull)
				.map(History.Slot::readyAt)
				.filter(Objects::nonNull)
				.max(Comparator.naturalOrder())
				.orElse(null);
		}

		/**
		 * How many messages of a partition were ready at the end of a slot: as many as
		 * before, where nothing was counted, and as now if nothing was counted before.
		 */
		private static long ready(History partition, long slot) {
			return new TreeMap<>(partition.slots()).headMap(slot, true)
				.descendingMap()
				.values()
				.stream()
				.map(History.Slot::ready)
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(partition.ready());
		}

		long drained() {
			return this.before - this.ready;
		}

		boolean isShrinking() {
			return drained() > 0 && drained() > 2 * Math.sqrt((double) Math.min(this.left, this.arrived));
		}

		double arrivedPerSecond() {
			return this.arrived / seconds(this.counted);
		}

	}

}
