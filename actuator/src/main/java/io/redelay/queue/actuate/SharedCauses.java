package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.engine.access.StoreCalls;
import org.jspecify.annotations.Nullable;

/**
 * Counts dead letters by cause once for all readers. The causes of a queue are counted
 * again when its number of dead letters has changed, or after a minute; and the less
 * often, the more there are.
 * <p>
 * Safe for use by many threads.
 */
final class SharedCauses {

	/**
	 * For how many queues causes are kept.
	 */
	private static final int MAX_QUEUES = 100;

	private static final Duration LONGEST = Duration.ofMinutes(1);

	private static final Duration PER_DEATH = Duration.ofMillis(2);

	/**
	 * So many are counted again at once.
	 */
	private static final long FEW = 500;

	private final ToLongFunction<String> dead;

	private final Function<String, DeadLetterCauses> causes;

	private final Supplier<Instant> now;

	private final LongSupplier nanoTime;

	private final Map<String, Counts> queues = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Counts> eldest) {
			return size() > MAX_QUEUES;
		}

	};

	/**
	 * Creates the causes of no queue yet.
	 * @param dead how many dead letters a queue has
	 * @param causes counts those of a queue
	 * @param now what time it is, to be shown
	 * @param nanoTime the clock
	 */
	SharedCauses(ToLongFunction<String> dead, Function<String, DeadLetterCauses> causes, Supplier<Instant> now,
			LongSupplier nanoTime) {
		this.dead = dead;
		this.causes = causes;
		this.now = now;
		this.nanoTime = nanoTime;
	}

	Counted of(String queue) {
		long number = this.dead.applyAsLong(queue);
		Counts counts;
		synchronized (this.queues) {
			counts = this.queues.computeIfAbsent(queue, (name) -> new Counts());
		}
		return counts.get(queue, number);
	}

	/**
	 * Causes, and when they were counted.
	 */
	record Counted(DeadLetterCauses causes, long dead, Instant at, long nanos) {

		boolean isFresh(long dead, long nanos) {
			Duration age = Duration.ofNanos(nanos - this.nanos);
			Duration kept = (dead == this.dead) ? LONGEST : (this.causes.examined() <= FEW) ? Duration.ZERO
					: PER_DEATH.multipliedBy(Math.min(dead, this.causes.examined()));
			return age.compareTo(kept) < 0;
		}

	}

	/**
	 * The causes of a queue.
	 */
	private final class Counts {

		private final ReentrantLock counting = new ReentrantLock();

		private volatile @Nullable Counted last;

		Counted get(String queue, long dead) {
			Counted known = this.last;
			if (known != null && known.isFresh(dead, SharedCauses.this.nanoTime.getAsLong())) {
				return known;
			}
			if (known == null) {
				return StoreCalls.inTurn(this.counting, () -> count(queue, dead));
			}
			if (!this.counting.tryLock()) {
				return known;
			}
			try {
				return count(queue, dead);
			}
			finally {
				this.counting.unlock();
			}
		}

		private Counted count(String queue, long dead) {
			Counted meanwhile = this.last;
			if (meanwhile != null && meanwhile.isFresh(dead, SharedCauses.this.nanoTime.getAsLong())) {
				return meanwhile;
			}
			Counted now = new Counted(SharedCauses.this.causes.apply(queue), dead, SharedCauses.this.now.get(),
					SharedCauses.this.nanoTime.getAsLong());
			this.last = now;
			return now;
		}

	}

}
