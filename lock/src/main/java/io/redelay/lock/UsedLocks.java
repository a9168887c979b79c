package io.redelay.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.delivery.LockActivity;
import io.redelay.delivery.LockUse;
import io.redelay.scheduling.RecentCount;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the locks that the threads of this application hold and wait for, so that all
 * waiting ends when the application closes.
 */
final class UsedLocks implements LockActivity {

	/**
	 * For how many queues refusals and waits are counted.
	 */
	private static final int MAX_QUEUES = 1000;

	private static final int LONGEST_NAME = 500;

	/**
	 * Even the request for a free lock waits for the answer of Redis.
	 */
	private static final long SHORTEST_WAIT_NANOS = 100_000_000;

	private final Set<LockFrame> held = ConcurrentHashMap.newKeySet();

	/**
	 * The acquisitions that wait for a lock.
	 */
	private final Set<LockAcquisition> waiting = ConcurrentHashMap.newKeySet();

	private final Map<String, RecentCount> refusals = new ConcurrentHashMap<>();

	private final Map<String, RecentCount> waits = new ConcurrentHashMap<>();

	private final Scheduler clock;

	private final AtomicBoolean used = new AtomicBoolean();

	private volatile boolean closed;

	private volatile Runnable whenUsed = () -> {
	};

	UsedLocks(Scheduler clock) {
		this.clock = clock;
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Adds an acquisition that waits, until it has ended.
	 */
	void waits(LockAcquisition acquisition) {
		if (this.waiting.add(acquisition)) {
			acquisition.onEnd(() -> this.waiting.remove(acquisition));
		}
		if (this.closed) {
			acquisition.close();
		}
	}

	/**
	 * Ends all acquisitions that wait, and each one that is added later.
	 */
	void close() {
		this.closed = true;
		this.waiting.forEach(LockAcquisition::close);
	}

	void acquired(LockFrame frame) {
		this.held.add(frame);
	}

	void ended(LockFrame frame) {
		this.held.remove(frame);
	}

	void refused(@Nullable String queue) {
		count(this.refusals, queue, 0);
	}

	/**
	 * Counts how long a request for a lock waited, whatever its outcome.
	 */
	void waited(@Nullable String queue, long nanos) {
		count(this.waits, queue, nanos);
	}

	private void count(Map<String, RecentCount> counts, @Nullable String queue, long amount) {
		if (queue != null && (counts.size() < MAX_QUEUES || counts.containsKey(queue))) {
			counts.computeIfAbsent(queue, (name) -> new RecentCount(this.clock)).add(1, amount);
		}
	}

	/**
	 * Called when a lock is requested.
	 */
	void use() {
		if (!this.used.get() && this.used.compareAndSet(false, true)) {
			this.whenUsed.run();
		}
	}

	@Override
	public boolean isUsed() {
		return this.used.get();
	}

	@Override
	public void onFirstUse(Runnable action) {
		this.whenUsed = action;
		if (this.used.get()) {
			action.run();
		}
	}

	@Override
	public List<LockUse> uses() {
		List<LockUse> uses = new ArrayList<>();
		this.held.removeIf(LockFrame::isReleased);
		this.held.forEach((frame) -> add(uses, frame.spec(), true, frame.origin(), frame.heldNanos()));
		for (LockAcquisition acquisition : this.waiting) {
			long nanos = acquisition.elapsedNanos();
			if (nanos >= SHORTEST_WAIT_NANOS) {
				add(uses, acquisition.spec(), false, acquisition.origin(), nanos);
			}
		}
		uses.sort(Comparator.comparing(LockUse::time).reversed());
		return uses;
	}

	private static void add(List<LockUse> uses, LockSpec spec, boolean held, LockOrigin origin, long nanos) {
		String provider = spec.provider();
		String type = (provider != null) ? provider : spec.type().name();
		spec.names()
			.forEach((name) -> uses.add(new LockUse(shortened(name), type, held, origin.thread(),
					Duration.ofNanos(nanos), origin.queue())));
	}

	private static String shortened(String name) {
		return (name.length() > LONGEST_NAME) ? name.substring(0, LONGEST_NAME - 1) + "…" : name;
	}

	@Override
	public long refusals(String queue) {
		RecentCount count = this.refusals.get(queue);
		return (count != null) ? count.count() : 0;
	}

	@Override
	public Duration waited(String queue) {
		RecentCount count = this.waits.get(queue);
		return (count != null) ? Duration.ofNanos(count.amount()) : Duration.ZERO;
	}

}
