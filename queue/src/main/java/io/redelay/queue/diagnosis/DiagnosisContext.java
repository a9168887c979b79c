package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.redelay.delivery.LockUse;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.QueueFigures;
import io.redelay.queue.message.StoredLimits;
import org.jspecify.annotations.Nullable;

/**
 * Values that all rules derive from the facts.
 */
record DiagnosisContext(QueueFacts facts, List<Listening> listening) {

	/**
	 * How long a ready message may wait until its queue is behind.
	 */
	static final Duration BEHIND_AFTER = Duration.ofSeconds(5);

	/**
	 * How long ago an instance announced itself that is not heard of any more. It does so
	 * every five seconds, and less often with more than 200 listeners.
	 */
	private static final Duration SILENT_AFTER = Duration.ofSeconds(9);

	private static final int LISTENERS_AN_INTERVAL = 200;

	/**
	 * How long a message has to wait, while handlers are free, until that is a problem.
	 */
	private static final Duration LONG_WAIT = Duration.ofMillis(500);

	/**
	 * The seconds in which the waiting messages should be handled, besides new ones.
	 */
	private static final double CLEAR_SECONDS = 60;

	/**
	 * From which share of their time on handlers are busy, and below which they are free.
	 */
	private static final double BUSY_SHARE = 0.8;

	static DiagnosisContext of(QueueFacts facts) {
		String queue = facts.info().queue();
		List<Listening> listening = new ArrayList<>();
		for (InstanceInfo instance : facts.consumers().instances()) {
			boolean silent = isSilent(instance, facts.consumers().asked());
			if (silent && facts.consumers().lanesOf(instance.instance()).isEmpty()) {
				continue; // it has ended, and what it had is taken over
			}
			for (InstanceListener listener : instance.listeners()) {
				listener.queues()
					.stream()
					.filter((each) -> each.queue().equals(queue))
					.forEach((each) -> listening.add(new Listening(instance, listener, each, silent)));
			}
		}
		return new DiagnosisContext(facts, listening);
	}

	private static boolean isSilent(InstanceInfo instance, Instant now) {
		int slower = 1 + instance.listeners().size() / LISTENERS_AN_INTERVAL;
		return Duration.between(instance.announcedAt(), now).compareTo(SILENT_AFTER.multipliedBy(slower)) >= 0;
	}

	StoredLimits limits() {
		return this.facts.limits();
	}

	/**
	 * The listeners of instances that are not heard of, although their lanes live.
	 */
	List<Listening> silent() {
		return this.listening.stream().filter(Listening::silent).toList();
	}

	List<Listening> running() {
		return this.listening.stream().filter(Listening::isRunning).toList();
	}

	long ready() {
		return this.facts.info().ready();
	}

	Duration age() {
		return this.facts.info().oldestReadyAge();
	}

	boolean waitsTooLong() {
		return ready() > 0 && age().compareTo(BEHIND_AFTER) >= 0;
	}

	int concurrency() {
		return running().stream().mapToInt((each) -> each.listener().concurrency()).sum();
	}

	int busy() {
		return running().stream().mapToInt((each) -> each.listener().busy()).sum();
	}

	/**
	 * How many messages of other queues the handlers of its listeners work on, by queue.
	 */
	Map<String, Integer> othersInHands() {
		String queue = this.facts.info().queue();
		Map<String, Integer> others = new TreeMap<>();
		running().stream()
			.flatMap((each) -> each.listener().queues().stream())
			.filter((each) -> !each.queue().equals(queue) && each.inHands() > 0)
			.forEach((each) -> others.merge(each.queue(), each.inHands(), Integer::sum));
		return others;
	}

	/**
	 * Which share of the busy handlers works on messages of other queues.
	 */
	double othersShare() {
		String queue = this.facts.info().queue();
		int others = othersInHands().values().stream().mapToInt(Integer::intValue).sum();
		int own = running().stream()
			.flatMap((each) -> each.listener().queues().stream())
			.filter((each) -> each.queue().equals(queue))
			.mapToInt(ListenedQueue::inHands)
			.sum();
		return (others == 0) ? 0 : (double) others / (others + own);
	}

	/**
	 * How many instances consume the queue, or would if their handlers were free: a
	 * listener that gets no handler for it has no lane.
	 */
	int consumers() {
		Set<String> instances = new HashSet<>();
		this.facts.consumers().lanes().forEach((lane) -> instances.add(lane.instance()));
		running().forEach((each) -> instances.add(each.instance().instance()));
		return instances.size();
	}

	@Nullable Throughput throughput() {
		return this.facts.throughput();
	}

	/**
	 * How many messages have to be handled a second so that the waiting ones are done
	 * within a minute. It includes the arriving ones, if their rate is known.
	 */
	double needed() {
		Throughput recent = this.facts.throughput();
		Double arriving = (recent != null) ? recent.arrivedPerSecond() : null;
		return ((arriving != null) ? arriving : 0) + ready() / CLEAR_SECONDS;
	}

	/**
	 * The purpose of {@link #needed()}, in words.
	 */
	String neededFor() {
		Throughput recent = this.facts.throughput();
		boolean known = recent != null && recent.arrivedPerSecond() != null;
		return known ? "to handle what comes and clear what waits in a minute"
				: "to clear what waits in a minute, whatever comes besides";
	}

	/**
	 * Which share of the needed rate is missing at a capacity in messages a second.
	 */
	double hindrance(double capacityPerSecond) {
		double needed = needed();
		return (needed > 0) ? Math.min(0.99, Math.max(0.01, 1 - capacityPerSecond / needed)) : 0.01;
	}

	/**
	 * How long handlers take, by the counts, or else by the announcements of instances.
	 */
	@Nullable Duration meanHandling() {
		Throughput recent = this.facts.throughput();
		if (recent != null && recent.times().meanHandling() != null) {
			return recent.times().meanHandling();
		}
		List<Duration> means = new ArrayList<>();
		for (Listening each : this.listening) {
			Duration mean = each.queue().meanHandling();
			if (mean != null) {
				means.add(mean);
			}
		}
		return means.isEmpty() ? null : means.stream().reduce(Duration.ZERO, Duration::plus).dividedBy(means.size());
	}

	/**
	 * Which share of their time handlers waited for locks in the last minute, as the
	 * instances announce it. The request for a free lock takes a trip to Redis, like a
	 * claim, and is no wait.
	 */
	double lockShare() {
		double handling = 0;
		double waiting = 0;
		for (Listening each : this.listening) {
			Duration mean = each.queue().meanHandling();
			Duration wait = each.queue().meanLockWait();
			if (mean != null) {
				double ended = Math.max(1,
						each.queue().handled() + each.queue().failed() + each.queue().lockRefusals());
				Duration trip = each.queue().claimTime();
				double free = (trip != null) ? 2.0 * trip.toNanos() : 0;
				handling += ended * mean.toNanos();
				waiting += (wait != null) ? ended * Math.max(0, wait.toNanos() - free) : 0;
			}
		}
		return (handling > 0) ? Math.min(1, waiting / handling) : 0;
	}

	/**
	 * How long handlers take, without their waiting for locks: more handlers would only
	 * wait for a lock longer.
	 */
	@Nullable Duration meanWorking() {
		Duration mean = meanHandling();
		return (mean != null) ? Duration.ofNanos((long) (mean.toNanos() * (1 - lockShare()))) : null;
	}

	/**
	 * How many messages the handlers can do a second, if it is known.
	 */
	@Nullable Double capacity() {
		Duration mean = meanHandling();
		return (mean != null && concurrency() > 0) ? concurrency() * 1e9 / Math.max(1, mean.toNanos()) : null;
	}

	/**
	 * Whether all handlers are busy, now or by the recent counts.
	 */
	boolean areHandlersBusy() {
		return concurrency() > 0 && (busy() >= concurrency() || utilisation() >= BUSY_SHARE);
	}

	/**
	 * Whether messages wait although there are idle handlers.
	 */
	boolean waitsDespiteIdleHandlers() {
		return ready() > 0 && age().compareTo(LONG_WAIT) >= 0 && busy() < concurrency() && utilisation() < BUSY_SHARE;
	}

	private double utilisation() {
		Throughput recent = this.facts.throughput();
		Duration mean = meanHandling();
		if (recent == null || mean == null || concurrency() == 0) {
			return 0;
		}
		return recent.perSecond(recent.attempts().all()) * mean.toNanos() / 1e9 / concurrency();
	}

	/**
	 * The locks for which handlers of the queue wait.
	 */
	List<LockUse> awaitedLocks() {
		String queue = this.facts.info().queue();
		return this.facts.consumers()
			.instances()
			.stream()
			.filter((instance) -> !isSilent(instance, this.facts.consumers().asked()))
			.flatMap((instance) -> instance.locks().stream())
			.filter((lock) -> !lock.held() && queue.equals(lock.queue()))
			.toList();
	}

	/**
	 * The waiting messages, in words.
	 */
	String backlog() {
		if (ready() == 0) {
			return "nothing waits";
		}
		return FigureFormat.count(ready(), "message", "waits", "wait") + ", the oldest for " + FigureFormat.time(age());
	}

	/**
	 * The figures.
	 * @param stopped whether nothing is delivered, so that no pace says when all is done
	 */
	QueueFigures figures(boolean stopped) {
		Throughput recent = this.facts.throughput();
		Double arrived = (recent != null) ? recent.arrivedPerSecond() : null;
		Double arrival = (arrived != null) ? rounded(arrived) : null;
		Double service = (recent != null) ? rounded(recent.perSecond(recent.attempts().handled())) : null;
		return new QueueFigures(this.facts.info().scheduled(), ready(), this.facts.info().inFlight(),
				this.facts.info().dead(), this.facts.waiting().retrying(), age(), arrival, service,
				(recent != null) ? rounded(recent.perSecond(recent.attempts().failed())) : null,
				(recent != null) ? recent.times().meanWait() : null, (recent != null) ? recent.times().maxWait() : null,
				meanHandling(), consumers(), busy(), concurrency(), (stopped && ready() > 0) ? null : timeToDrain());
	}

	/**
	 * In what time all ready messages are handled at the present pace; {@code null} if
	 * never, or if the rate of new ones is unknown.
	 */
	@Nullable Duration timeToDrain() {
		if (ready() == 0) {
			return Duration.ZERO;
		}
		Throughput recent = this.facts.throughput();
		Throughput.Trend trend = (recent != null) ? recent.trend() : null;
		if (trend != null) {
			Double drain = trend.drainPerSecond();
			return (drain != null) ? Duration.ofMillis((long) Math.ceil(ready() / drain * 1000)) : null;
		}
		Double arrived = (recent != null) ? recent.arrivedPerSecond() : null;
		if (recent == null || arrived == null) {
			return null;
		}
		double gain = recent.leftPerSecond() - arrived;
		return (gain > 0) ? Duration.ofMillis((long) Math.ceil(ready() / gain * 1000)) : null;
	}

	/**
	 * Whether the ready messages do not become fewer at the present pace.
	 */
	boolean isNeverDone() {
		Throughput recent = this.facts.throughput();
		Throughput.Trend trend = (recent != null) ? recent.trend() : null;
		if (trend != null) {
			return trend.steady();
		}
		return recent != null && recent.arrivedPerSecond() != null && timeToDrain() == null;
	}

	/**
	 * In what time all ready messages are handled if no new ones come, by the higher of
	 * the recent rate and the capacity of the handlers. After an idle time the recent
	 * rate is low.
	 */
	@Nullable Duration timeToClear() {
		Throughput recent = this.facts.throughput();
		double left = (recent != null) ? recent.leftPerSecond() : 0;
		Double capacity = capacity();
		double pace = (capacity != null) ? Math.max(left, capacity) : left;
		return (pace > 0 && (left > 0 || areHandlersBusy()))
				? Duration.ofMillis((long) Math.ceil(ready() / pace * 1000)) : null;
	}

	private static double rounded(double perSecond) {
		return Math.round(perSecond * 1000) / 1000.0;
	}

}
