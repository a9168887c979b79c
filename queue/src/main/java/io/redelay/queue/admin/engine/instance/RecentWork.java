package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.queue.admin.FailureCause;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.measure.Handling;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.measure.Settled;
import io.redelay.scheduling.RecentCount;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The work of the handlers of this instance in the last minute, which is announced to
 * other instances.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RecentWork implements QueueMeter {

	private static final int MAX_QUEUES = 1000;

	private static final int MAX_CAUSES = 20;

	private static final int MAX_TYPES = 20;

	private static final int REPORTED_CAUSES = 5;

	private final Scheduler clock;

	private final Map<String, Work> queues = new ConcurrentHashMap<>();

	/**
	 * Begins to count.
	 * @param clock the time
	 */
	public RecentWork(Scheduler clock) {
		this.clock = clock;
	}

	@Override
	public void settled(String queue, Settled settled, long nanos) {
		Work work = work(PartitionName.queueOf(queue));
		if (work != null) {
			work.done.add(settled.acknowledged());
		}
	}

	@Override
	public void handled(Handling handling) {
		Work work = work(PartitionName.queueOf(handling.queue()));
		if (work != null) {
			if (work.handlings.add(1, handling.handlingNanos())) {
				work.times.values().forEach(HandlingTimes::turn);
				if (work.times.size() >= MAX_TYPES) {
					work.times.values().removeIf((times) -> times.counts().isEmpty());
				}
			}
			HandlingTimes times = times(work, handling.payloadType());
			if (times != null) {
				times.add(handling.handlingNanos());
			}
		}
	}

	private @Nullable HandlingTimes times(Work work, @Nullable String payloadType) {
		String type = (payloadType != null) ? payloadType : "";
		HandlingTimes times = work.times.get(type);
		if (times != null || work.times.size() >= MAX_TYPES) {
			return times;
		}
		return work.times.computeIfAbsent(type, (name) -> new HandlingTimes(this.clock));
	}

	/**
	 * How long the handlings of a queue's messages took, by their payload types; those
	 * without one have an empty one.
	 */
	Map<String, HandlingTimes> times(String queue) {
		Work work = this.queues.get(queue);
		return (work != null) ? work.times : Map.of();
	}

	@Override
	public void failed(String queue, String listener, @Nullable String exception, String message) {
		Work work = work(queue);
		if (work != null) {
			work.failed.add(1);
			String type = (exception != null) ? exception : "none";
			Cause cause = work.causes.get(type);
			if (cause == null) {
				work.causes.values().removeIf((each) -> each.count.count() == 0);
				if (work.causes.size() >= MAX_CAUSES) {
					return;
				}
				cause = work.causes.computeIfAbsent(type, (name) -> new Cause(message, new RecentCount(this.clock)));
			}
			cause.count.add(1);
		}
	}

	private @Nullable Work work(String queue) {
		Work work = this.queues.get(queue);
		if (work != null || this.queues.size() >= MAX_QUEUES) {
			return work;
		}
		return this.queues.computeIfAbsent(queue, (name) -> Work.of(this.clock));
	}

	/**
	 * How many messages of a queue were done.
	 */
	long done(String queue) {
		Work work = this.queues.get(queue);
		return (work != null) ? work.done.count() : 0;
	}

	/**
	 * How many attempts failed.
	 */
	long failed(String queue) {
		Work work = this.queues.get(queue);
		return (work != null) ? work.failed.count() : 0;
	}

	/**
	 * The average time of handlers, if one has ended.
	 */
	@Nullable Duration meanHandling(String queue) {
		Work work = this.queues.get(queue);
		return (work != null && work.handlings.count() > 0) ? Duration.ofNanos(work.handlings.mean()) : null;
	}

	/**
	 * The part of a time in the last minute for each handling that ended meanwhile.
	 * @return the mean, or {@code null} if the time is none or no handling has ended
	 */
	@Nullable Duration perHandling(String queue, Duration time) {
		Work work = this.queues.get(queue);
		long ended = (work != null) ? work.handlings.count() : 0;
		return (ended > 0 && !time.isZero()) ? time.dividedBy(ended) : null;
	}

	/**
	 * The causes of failed attempts, the most frequent one first.
	 */
	List<FailureCause> causes(String queue) {
		Work work = this.queues.get(queue);
		if (work == null || work.causes.isEmpty()) {
			return List.of();
		}
		return work.causes.entrySet()
			.stream()
			.map((each) -> new FailureCause(each.getKey(), each.getValue().message, each.getValue().count.count()))
			.filter((cause) -> cause.count() > 0)
			.sorted(Comparator.comparingLong(FailureCause::count).reversed())
			.limit(REPORTED_CAUSES)
			.toList();
	}

	/**
	 * The cause of failed attempts.
	 *
	 * @param message the message of the first one
	 * @param count how many attempts failed of it
	 */
	private record Cause(String message, RecentCount count) {

	}

	/**
	 * The work on a queue.
	 */
	private record Work(RecentCount done, RecentCount failed, RecentCount handlings, Map<String, Cause> causes,
			Map<String, HandlingTimes> times) {

		static Work of(Scheduler clock) {
			return new Work(new RecentCount(clock), new RecentCount(clock), new RecentCount(clock),
					new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
		}

	}

}
