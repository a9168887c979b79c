package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.scheduling.Scheduler;

/**
 * Knows which declaring instances live. The answer is cached for some seconds.
 */
final class LivingDeclarers {

	/**
	 * How long the answer for an instance is remembered.
	 */
	static final Duration MEMORY = Duration.ofSeconds(5);

	private static final int MOST_REMEMBERED = 1000;

	private final RecurringStore store;

	private final Scheduler clock;

	private final Map<String, Known> known = new ConcurrentHashMap<>();

	LivingDeclarers(RecurringStore store, Scheduler clock) {
		this.store = store;
		this.clock = clock;
	}

	/**
	 * Whether any of some instances lives.
	 */
	CompletableFuture<Boolean> isAny(Collection<String> instances) {
		return isAny(List.copyOf(new LinkedHashSet<>(instances)), instances.size() - 1);
	}

	/**
	 * Asks for one after the other, the newest first, as that one most likely lives.
	 */
	private CompletableFuture<Boolean> isAny(List<String> instances, int last) {
		int index = Math.min(last, instances.size() - 1);
		if (index < 0) {
			return CompletableFuture.completedFuture(false);
		}
		return lives(instances.get(index))
			.thenCompose((lives) -> lives ? CompletableFuture.completedFuture(true) : isAny(instances, index - 1));
	}

	private CompletableFuture<Boolean> lives(String instance) {
		if (instance.equals(this.store.instance())) {
			return CompletableFuture.completedFuture(true);
		}
		Known last = this.known.get(instance);
		long now = this.clock.nanoTime();
		if (last != null && now - last.askedNanos() < MEMORY.toNanos()) {
			return CompletableFuture.completedFuture(last.lives());
		}
		return this.store.isAnnounced(instance).thenApply((lives) -> {
			if (this.known.size() >= MOST_REMEMBERED) {
				this.known.clear();
			}
			this.known.put(instance, new Known(lives, now));
			return lives;
		});
	}

	private record Known(boolean lives, long askedNanos) {

	}

}
