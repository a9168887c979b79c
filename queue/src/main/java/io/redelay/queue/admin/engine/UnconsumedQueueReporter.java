package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.queue.script.admin.LanesScript;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Logs queues that this instance sends to and that have no listener in any application,
 * once for each queue, some time after the first send.
 *
 * @since 0.1.0
 */
public final class UnconsumedQueueReporter {

	private static final Log logger = PlainLog.of(UnconsumedQueueReporter.class);

	/**
	 * How many queues are checked. An application with more generates their names, and
	 * its listeners.
	 */
	private static final int MAX_QUEUES = 1000;

	/**
	 * How often a queue is looked at while its first messages have not arrived, or Redis
	 * does not answer.
	 */
	private static final int MAX_LOOKS = 3;

	private final AdminScripts store;

	private final InstanceDirectory instances;

	private final Scheduler scheduler;

	private final Duration after;

	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a reporter.
	 * @param store lists the listeners
	 * @param scheduler when to look
	 * @param after how long after the first send, or zero never to look
	 */
	public UnconsumedQueueReporter(AdminScripts store, Scheduler scheduler, Duration after) {
		this.store = store;
		this.instances = new InstanceDirectory(store, JsonMapper.shared());
		this.scheduler = scheduler;
		this.after = after;
	}

	/**
	 * Called when a queue is sent to, maybe not for the first time.
	 * @param queue the queue
	 */
	public void sentTo(String queue) {
		if (this.after.isZero() || this.seen.size() >= MAX_QUEUES || !this.seen.add(queue)) {
			return;
		}
		lookLater(queue, 1);
	}

	/**
	 * Looks at a queue later, or leaves that to the next send.
	 */
	private void lookLater(String queue, int times) {
		if (times > MAX_LOOKS || this.scheduler.schedule(() -> look(queue, times), this.after) == null) {
			this.seen.remove(queue);
		}
	}

	private void look(String queue, int times) {
		CompletableFuture<CountScript.@Nullable Counts> counted = this.store.lanes()
			.run(queue)
			.thenCombine(this.store.count().run(queue), (lanes, counts) -> isUnconsumed(lanes, counts) ? counts : null);
		counted
			.thenCompose(
					(counts) -> (counts == null || waiting(counts) == 0) ? CompletableFuture.completedFuture(counts)
							: this.instances.ask()
								.thenApply((instances) -> isListenedTo(queue, instances) ? null : counts))
			.whenComplete((counts, failure) -> {
				if (failure != null) {
					logger.debug("It is unknown whether a listener consumes from the queue '" + queue + "'", failure);
					lookLater(queue, times + 1);
				}
				else if (counts != null && waiting(counts) == 0) {
					lookLater(queue, times + 1);
				}
				else if (counts != null) {
					logger.warn("No listener consumes " + describe(queue) + ", in this application or another, and "
							+ waiting(counts) + " message(s) wait there: is this the name that the"
							+ " @QueueListener has, and do both have the same 'redelay.queue.key-prefix'?");
				}
			});
	}

	/**
	 * Whether an instance listens to a queue, from which it does not claim while its
	 * handlers work on other queues.
	 */
	private static boolean isListenedTo(String partition, List<InstanceInfo> instances) {
		String queue = PartitionName.queueOf(partition);
		return instances.stream()
			.flatMap((instance) -> instance.listeners().stream())
			.filter((listener) -> listener.state() == InstanceListener.State.RUNNING)
			.flatMap((listener) -> listener.queues().stream())
			.anyMatch((each) -> each.queue().equals(queue));
	}

	private static String describe(String partition) {
		String queue = PartitionName.queueOf(partition);
		return PartitionName.isFurther(partition) ? "the partition '" + partition + "' of the queue '" + queue + "'"
				: "the queue '" + queue + "'";
	}

	private static long waiting(CountScript.Counts counts) {
		return counts.messages().ready() + counts.messages().scheduled();
	}

	private static boolean isUnconsumed(List<LanesScript.Lane> lanes, CountScript.Counts counts) {
		// The listeners of a paused queue may be stopped on purpose.
		return !counts.status().paused() && lanes.stream().allMatch((lane) -> lane.lease().isNegative());
	}

}
