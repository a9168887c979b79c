package io.redelay.queue.recurring;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.redelay.queue.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a recurring message: a name, a queue, a cron expression or an
 * interval, and what becomes of ticks that cannot run as planned. Immutable; each method
 * returns a copy.
 *
 * @param queue the queue
 * @param name the name, unique among those of the queue: letters, digits, '.', '_' and
 * '-'
 * @param cron a cron expression of six fields as Spring has them, or {@code null}
 * @param zone the zone of the cron expression, or {@code null} for that of the JVM
 * @param every the time between ticks, or {@code null}
 * @param payload the payload of each message, or {@code null} for a {@link RecurringTick}
 * @param missed what becomes of missed ticks
 * @param maxMissed how many missed ticks run at most with {@link MissedTicks#ALL}
 * @param overlap what becomes of ticks while a run has not ended
 * @param maxQueued how many ticks wait at most with {@link OverlappingRuns#QUEUE}
 * @param lateAfter how long after it was due a tick is late
 * @param tags by what the messages are found
 * @param limits when it runs first and last, how often, and how its runs are spread
 * @param options what else each message has, such as a priority or headers: a message
 * whose queue and payload do not count
 * @since 0.1.0
 */
public record RecurringDeclaration(String queue, String name, @Nullable String cron, @Nullable ZoneId zone,
		@Nullable Duration every, @Nullable Object payload, MissedTicks missed, int maxMissed, OverlappingRuns overlap,
		int maxQueued, Duration lateAfter, Set<String> tags, RunLimits limits, OutboundMessage options) {

	/**
	 * How many missed ticks run at most by default.
	 */
	public static final int DEFAULT_MAX_MISSED = 10;

	/**
	 * How many ticks wait at most by default.
	 */
	public static final int DEFAULT_MAX_QUEUED = 100;

	/**
	 * How late a tick may be by default.
	 */
	public static final Duration DEFAULT_LATE_AFTER = Duration.ofMinutes(1);

	/**
	 * Copies the tags. All is checked when it is declared.
	 */
	public RecurringDeclaration {
		tags = Collections.unmodifiableSet(new LinkedHashSet<>(tags));
	}

	private RecurringDeclaration(String queue, String name, @Nullable String cron, @Nullable Duration every) {
		this(queue, name, cron, null, every, null, MissedTicks.ONCE, DEFAULT_MAX_MISSED, OverlappingRuns.SKIP,
				DEFAULT_MAX_QUEUED, DEFAULT_LATE_AFTER, Set.of(), RunLimits.NONE, options(queue));
	}

	/**
	 * Declares a message that recurs by a cron expression, in the zone of the JVM.
	 * @param queue the queue
	 * @param name the name
	 * @param cron the expression, such as {@code 0 0 2 * * *} for each night at two
	 * @return the declaration
	 */
	public static RecurringDeclaration cron(String queue, String name, String cron) {
		return new RecurringDeclaration(queue, name, cron, null);
	}

	/**
	 * Declares a message that recurs at an interval. The first tick is an interval after
	 * the declaration; declaring it again with the same interval does not change its
	 * ticks.
	 * @param queue the queue
	 * @param name the name
	 * @param every the interval, 100 ms at least
	 * @return the declaration
	 */
	public static RecurringDeclaration every(String queue, String name, Duration every) {
		return new RecurringDeclaration(queue, name, null, every);
	}

	/**
	 * Sets the zone of the cron expression.
	 * @param wanted the zone
	 * @return a copy with it
	 */
	public RecurringDeclaration zone(ZoneId wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, wanted, this.every, this.payload, this.missed,
				this.maxMissed, this.overlap, this.maxQueued, this.lateAfter, this.tags, this.limits, this.options);
	}

	/**
	 * Sets the payload of each message.
	 * @param wanted the payload, converted when it is declared
	 * @return a copy with it
	 */
	public RecurringDeclaration payload(Object wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, wanted, this.missed,
				this.maxMissed, this.overlap, this.maxQueued, this.lateAfter, this.tags, this.limits, this.options);
	}

	/**
	 * Sets what becomes of missed ticks.
	 * @param wanted what is done
	 * @return a copy with it
	 */
	public RecurringDeclaration missed(MissedTicks wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload, wanted,
				this.maxMissed, this.overlap, this.maxQueued, this.lateAfter, this.tags, this.limits, this.options);
	}

	/**
	 * Sets how many missed ticks run at most with {@link MissedTicks#ALL}.
	 * @param wanted the number, 1 to 1000
	 * @return a copy with it
	 */
	public RecurringDeclaration maxMissed(int wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload,
				this.missed, wanted, this.overlap, this.maxQueued, this.lateAfter, this.tags, this.limits,
				this.options);
	}

	/**
	 * Sets what becomes of a tick while an earlier run has not ended.
	 * @param wanted what is done
	 * @return a copy with it
	 */
	public RecurringDeclaration overlap(OverlappingRuns wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload,
				this.missed, this.maxMissed, wanted, this.maxQueued, this.lateAfter, this.tags, this.limits,
				this.options);
	}

	/**
	 * Sets how many ticks wait at most with {@link OverlappingRuns#QUEUE}.
	 * @param wanted the number, 1 to 1000
	 * @return a copy with it
	 */
	public RecurringDeclaration maxQueued(int wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload,
				this.missed, this.maxMissed, this.overlap, wanted, this.lateAfter, this.tags, this.limits,
				this.options);
	}

	/**
	 * Sets how long after it was due a tick is late.
	 * @param wanted the time
	 * @return a copy with it
	 */
	public RecurringDeclaration lateAfter(Duration wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload,
				this.missed, this.maxMissed, this.overlap, this.maxQueued, wanted, this.tags, this.limits,
				this.options);
	}

	/**
	 * Sets the tags by which the messages are found.
	 * @param wanted at most 10, each of 1 to 100 characters, none of them a control
	 * character
	 * @return a copy with them
	 */
	public RecurringDeclaration tags(Collection<String> wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload,
				this.missed, this.maxMissed, this.overlap, this.maxQueued, this.lateAfter, new LinkedHashSet<>(wanted),
				this.limits, this.options);
	}

	/**
	 * Sets the time before which it does not run. The first tick of an interval is at
	 * this time.
	 * @param wanted the time
	 * @return a copy with it
	 */
	public RecurringDeclaration from(Instant wanted) {
		return limits(new RunLimits(wanted, this.limits.until(), this.limits.maxRuns(), this.limits.runAtDeclaration(),
				this.limits.jitter()));
	}

	/**
	 * Sets the time after which it does not tick any more. It has ended then.
	 * @param wanted the time; a tick at this time runs
	 * @return a copy with it
	 */
	public RecurringDeclaration until(Instant wanted) {
		return limits(new RunLimits(this.limits.from(), wanted, this.limits.maxRuns(), this.limits.runAtDeclaration(),
				this.limits.jitter()));
	}

	/**
	 * Sets how many runs there are in all, over all instances. It has ended when the last
	 * one begins. Runs by {@link RecurringMessages#runNow} do not count.
	 * @param wanted the number, at least 1
	 * @return a copy with it
	 */
	public RecurringDeclaration maxRuns(int wanted) {
		return limits(new RunLimits(this.limits.from(), this.limits.until(), wanted, this.limits.runAtDeclaration(),
				this.limits.jitter()));
	}

	/**
	 * Has it run at once, in addition to its ticks, when it is first declared or its
	 * declaration changes; not when it is declared again unchanged.
	 * @return a copy with it
	 */
	public RecurringDeclaration runAtDeclaration() {
		return limits(new RunLimits(this.limits.from(), this.limits.until(), this.limits.maxRuns(), true,
				this.limits.jitter()));
	}

	/**
	 * Spreads its ticks: each is later than planned by a time up to this one. How much it
	 * is later follows from the name and the time of the tick, and is the same in all
	 * instances.
	 * @param wanted the time, shorter than that between two ticks
	 * @return a copy with it
	 */
	public RecurringDeclaration jitter(Duration wanted) {
		return limits(new RunLimits(this.limits.from(), this.limits.until(), this.limits.maxRuns(),
				this.limits.runAtDeclaration(), wanted));
	}

	private RecurringDeclaration limits(RunLimits wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload,
				this.missed, this.maxMissed, this.overlap, this.maxQueued, this.lateAfter, this.tags, wanted,
				this.options);
	}

	/**
	 * Sets further options of each message, as in
	 * {@code options((message) -> message.priority(8).maxAttempts(3).header("tenant", "7"))}.
	 * A time to live and a deadline count from the tick. Options of a single send cannot
	 * be set: an id, a time, a deduplication, a result, copies, a transaction.
	 * @param wanted adds them to a message
	 * @return a copy with them
	 * @throws IllegalArgumentException if an option has a value that no message can have
	 */
	public RecurringDeclaration options(UnaryOperator<OutboundMessage> wanted) {
		return new RecurringDeclaration(this.queue, this.name, this.cron, this.zone, this.every, this.payload,
				this.missed, this.maxMissed, this.overlap, this.maxQueued, this.lateAfter, this.tags, this.limits,
				wanted.apply(this.options));
	}

	private static OutboundMessage options(String queue) {
		return OutboundMessage.to(queue, "");
	}

}
