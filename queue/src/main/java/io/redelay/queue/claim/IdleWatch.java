package io.redelay.queue.claim;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.log.PlainLog;
import io.redelay.queue.script.OccupiedScript;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Looks at the queues that loops found empty, with one request at the interval of the
 * safety poll, and has the loops claim whose queues have messages again. A wake-up may
 * get lost; without the watch each loop would have to claim at that interval.
 * <p>
 * Safe for use by many threads.
 */
final class IdleWatch {

	private static final Log logger = PlainLog.of(IdleWatch.class);

	private final OccupiedScript occupied;

	private final SafetyPoll safetyPoll;

	private final Map<Object, Watched> watched = new ConcurrentHashMap<>();

	private final AtomicLong added = new AtomicLong();

	private final RegularTask regular;

	IdleWatch(OccupiedScript occupied, Scheduler scheduler, SafetyPoll safetyPoll) {
		this.occupied = occupied;
		this.safetyPoll = safetyPoll;
		this.regular = new RegularTask(scheduler, safetyPoll.watchInterval(), this::look,
				(failure) -> logger.debug("Idle queues were not looked at, which is tried again", failure));
	}

	/**
	 * Returns whether queues can be watched, and the watch saves requests.
	 */
	boolean isUseful() {
		return this.occupied.looksAtMany()
				&& this.safetyPoll.watchedInterval().compareTo(this.safetyPoll.watchInterval()) > 0;
	}

	/**
	 * Watches the queue of a loop, until it has messages or the loop is removed.
	 * @param loop the loop
	 * @param queue its queue
	 * @param occupied run once when the queue has messages; must not block
	 */
	void add(Object loop, String queue, Runnable occupied) {
		this.watched.put(loop, new Watched(queue, occupied, this.added.incrementAndGet()));
		this.regular.start();
	}

	void remove(Object loop) {
		this.watched.remove(loop);
	}

	private CompletableFuture<?> look() {
		List<String> queues = inOrder().stream().map((each) -> each.getValue().queue()).distinct().toList();
		return queues.isEmpty() ? CompletableFuture.completedFuture(null)
				: this.occupied.run(queues).thenAccept(this::looked);
	}

	private void looked(List<String> occupied) {
		Set<String> found = new HashSet<>(occupied);
		inOrder().forEach((entry) -> {
			Watched each = entry.getValue();
			if (found.contains(each.queue()) && this.watched.remove(entry.getKey(), each)) {
				each.occupied().run();
			}
		});
	}

	/**
	 * Loops have no hash of their own: without an order, what happens would differ from
	 * one run of a JVM to the next.
	 */
	private List<Map.Entry<Object, Watched>> inOrder() {
		return this.watched.entrySet()
			.stream()
			.sorted(Comparator.comparingLong((entry) -> entry.getValue().number()))
			.toList();
	}

	/**
	 * The queue that is watched for a loop.
	 *
	 * @param queue the queue
	 * @param occupied the action to run
	 * @param number in which order they were added
	 */
	private record Watched(String queue, Runnable occupied, long number) {

	}

}
