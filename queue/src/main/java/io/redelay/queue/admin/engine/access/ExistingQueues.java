package io.redelay.queue.admin.engine.access;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.script.admin.AdminScripts;

/**
 * Refuses names of queues that were never used. A name once seen is not asked for again
 * for some seconds; not longer, because another instance may delete or forget it.
 *
 * @since 0.1.0
 */
public final class ExistingQueues {

	private static final int SHOWN = 10;

	private static final long BELIEVED_NANOS = Duration.ofSeconds(10).toNanos();

	private final AdminScripts store;

	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	private volatile long askedNanos;

	public ExistingQueues(AdminScripts store) {
		this.store = store;
	}

	public void check(String queue) {
		GroupName.checkQueue(queue);
		if (this.seen.contains(queue) && now() - this.askedNanos < BELIEVED_NANOS) {
			return;
		}
		Set<String> all = all();
		if (!all.contains(queue)) {
			throw new UnknownQueueException("There is no queue '" + queue
					+ "': nothing was ever sent to it, and no listener consumes it. " + suggestion(all));
		}
	}

	public Set<String> all() {
		long asked = now();
		Set<String> all = StoreCalls.await(this.store.names().queues())
			.stream()
			.map(PartitionName::queueOf)
			.collect(Collectors.toCollection(TreeSet::new));
		this.seen.retainAll(all); // other instances may have deleted queues
		this.seen.addAll(all);
		this.askedNanos = asked;
		return all;
	}

	private long now() {
		return this.store.replayMemory().scheduler().nanoTime();
	}

	public void forget(String queue) {
		this.seen.remove(queue);
	}

	private static String suggestion(Set<String> all) {
		if (all.isEmpty()) {
			return "There are no queues at all: look at 'redelay.queue.key-prefix' and at 'spring.data.redis.*'";
		}
		String names = String.join(", ", all.stream().limit(SHOWN).toList());
		return "There are: " + names + ((all.size() > SHOWN) ? ", and " + (all.size() - SHOWN) + " more" : "");
	}

}
