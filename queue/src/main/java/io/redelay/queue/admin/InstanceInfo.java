package io.redelay.queue.admin;

import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.redelay.delivery.LockUse;
import org.jspecify.annotations.Nullable;

/**
 * An instance of an application that uses Redelay, as it announces itself every five
 * seconds, and at once when a listener starts or stops.
 *
 * @param instance its name in the store, new with each start; lanes and messages in hand
 * name it
 * @param name its display name: its host and process
 * @param client the id of its Redis client, by which Redis knows the locks that it holds;
 * {@code null} if it does not report that
 * @param startedAt when it started, by the clock of Redis; of an earlier version by its
 * own
 * @param announcedAt when it announced this, by the clock of Redis
 * @param listeners its listeners, those that are stopped as well
 * @param locks the locks that its threads hold or wait for: at most a hundred, those that
 * are held or waited for longest
 * @param locksHeld how many locks its threads hold
 * @param locksAwaited for how many locks its threads wait
 * @param inlets the queues whose inlets it takes over
 * @since 0.1.0
 */
public record InstanceInfo(String instance, String name, @Nullable String client, Instant startedAt,
		Instant announcedAt, List<InstanceListener> listeners, List<LockUse> locks, int locksHeld, int locksAwaited,
		Set<String> inlets) {

	/**
	 * Copies the lists.
	 */
	public InstanceInfo {
		listeners = List.copyOf(listeners);
		locks = List.copyOf(locks);
		inlets = Set.copyOf(inlets);
	}

}
