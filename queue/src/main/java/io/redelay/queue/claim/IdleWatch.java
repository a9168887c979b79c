package io.redelay.queue.claim;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

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
		this.watched.put(loop, new Watched(queue, occupied));
		this.regular.start();
	}

	void remove(Object loop) {
		this.watched.remove(loop);
	}

	private CompletableFuture<?> look() {
		List<String> queues = this.watched.values().stream().map(Watched::queue).distinct().sorted().toList();
		return queues.isEmpty() ? CompletableFuture.completedFuture(null)
				: this.occupied.run(queues).thenAccept(this::looked);
	}

	private void looked(List<String> occupied) {
		Set<String> found = new HashSet<>(occupied);
		this.watched.entrySet()
			.stream()
			.filter((each) -> found.contains(each.getValue().queue()))
			.sorted(Comparator.comparing((each) -> each.getValue().queue()))
			.filter((each) -> this.watched.remove(each.getKey(), each.getValue()))
			.forEach((each) -> each.getValue().occupied().run());
	}

	/**
	 * The queue that is watched for a loop.
	 *
	 * @param queue the queue
	 * @param occupied the action to run
	 */
	private record Watched(String queue, Runnable occupied) {

	}

}
