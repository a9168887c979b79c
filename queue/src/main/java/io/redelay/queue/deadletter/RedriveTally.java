package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.RedriveRule;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Counts the dead messages of a queue that a rule redrives or leaves, and logs the counts
 * when all are looked at, or after a minute. Used by one thread at a time.
 */
final class RedriveTally {

	private static final Log logger = PlainLog.of(RedriveTally.class);

	private static final Duration LOG_PAUSE = Duration.ofMinutes(1);

	private final String queue;

	private final RedriveRule rule;

	private final Scheduler clock;

	/**
	 * How many were redriven, by round.
	 */
	private final Map<Integer, Integer> redriven = new TreeMap<>();

	private int staying;

	private long firstNanos;

	RedriveTally(String queue, RedriveRule rule, Scheduler clock) {
		this.queue = queue;
		this.rule = rule;
		this.clock = clock;
	}

	void redriven(int round) {
		begin();
		this.redriven.merge(round, 1, Integer::sum);
	}

	/**
	 * Counts a message that had its last round.
	 */
	void stays() {
		begin();
		this.staying++;
	}

	private void begin() {
		if (isEmpty()) {
			this.firstNanos = this.clock.nanoTime();
		}
	}

	private boolean isEmpty() {
		return this.redriven.isEmpty() && this.staying == 0;
	}

	/**
	 * Logs the counts if they are a minute old.
	 */
	void logAfterPause() {
		if (!isEmpty() && this.clock.nanoTime() - this.firstNanos >= LOG_PAUSE.toNanos()) {
			log();
		}
	}

	/**
	 * Logs the counts, and resets them.
	 */
	void log() {
		int all = this.redriven.values().stream().mapToInt(Integer::intValue).sum();
		if (all > 0) {
			logger.info("Redrove " + all + " dead message(s) of the queue '" + this.queue + "' by its rule: "
					+ this.redriven.entrySet()
						.stream()
						.map((each) -> each.getValue() + " in round " + each.getKey() + " of " + this.rule.rounds())
						.collect(Collectors.joining(", ")));
		}
		if (this.staying > 0) {
			logger.info(this.staying + " message(s) of the queue '" + this.queue
					+ "' stay dead, for they died again after all " + this.rule.rounds() + " round(s)");
		}
		this.redriven.clear();
		this.staying = 0;
	}

}
