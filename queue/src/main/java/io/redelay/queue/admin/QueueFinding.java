package io.redelay.queue.admin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A problem that delays the messages of a queue, or the statement that there is none.
 *
 * @param kind what it is
 * @param severity how urgent it is
 * @param headline what it is in some words, with the most important figure
 * @param text what it is and which figures show it, in plain English
 * @param mend the remedy
 * @param figures the figures by name, in the order of the text: numbers, texts and lists
 * of texts; names that end with {@code Millis} and {@code PerSecond} show the unit
 * @since 0.1.0
 */
public record QueueFinding(Kind kind, Severity severity, String headline, String text, String mend,
		Map<String, Object> figures) {

	/**
	 * Copies the figures.
	 */
	public QueueFinding {
		figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
	}

	/**
	 * Kinds of findings.
	 */
	public enum Kind {

		/**
		 * The queue has no listener.
		 */
		NO_CONSUMER,

		/**
		 * Listeners to the queue are stopped or paused, while their application runs.
		 */
		CONSUMER_STOPPED,

		/**
		 * Instances that consume the queue are not heard of: they were killed, hang, or
		 * do not reach Redis.
		 */
		CONSUMER_SILENT,

		/**
		 * The queue is paused.
		 */
		PAUSED,

		/**
		 * The queue takes no new messages.
		 */
		CLOSED,

		/**
		 * A gate is closed: that of the queue, one of an instance, or those of fairness
		 * keys.
		 */
		GATED,

		/**
		 * A rate limit allows no more.
		 */
		RATE_LIMITED,

		/**
		 * As many messages are in hand as the limit allows.
		 */
		CONCURRENCY_LIMITED,

		/**
		 * The listeners go by a strict order, and queues before this one have messages.
		 */
		OTHER_QUEUE_FIRST,

		/**
		 * The handlers of its listeners work on messages of other queues of the same
		 * listener.
		 */
		OTHER_QUEUE_BUSY,

		/**
		 * Messages wait for an earlier one that has the same ordering key.
		 */
		KEYS_IN_TURN,

		/**
		 * Handlers wait for a lock, or give their messages back because they do not get
		 * it.
		 */
		LOCKED,

		/**
		 * All handlers are busy, and none has finished lately.
		 */
		ALL_HANDLERS_BUSY,

		/**
		 * All handlers are busy, and are too slow or too few for the messages that come.
		 */
		SLOW_HANDLER,

		/**
		 * Handlers fail.
		 */
		FAILING,

		/**
		 * Many messages wait for another attempt.
		 */
		RETRY_BACKLOG,

		/**
		 * Redis answers listeners late or not at all.
		 */
		REDIS_SLOW,

		/**
		 * The message of the next tick of a recurring message is gone.
		 */
		TICK_GONE,

		/**
		 * Packed messages are due, and were not brought near.
		 */
		PACKED_LATE,

		/**
		 * Entries wait in the queue's inlet.
		 */
		INLET,

		/**
		 * Messages were given up and are kept.
		 */
		DEAD_LETTERS,

		/**
		 * Messages wait, and are handled faster than new ones come.
		 */
		CATCHING_UP,

		/**
		 * Messages wait, and nothing that is known explains it.
		 */
		UNEXPLAINED,

		/**
		 * Nothing stands in the way.
		 */
		KEEPING_UP

	}

	/**
	 * How urgent a finding is.
	 */
	public enum Severity {

		/**
		 * The queue is behind, mostly because of it.
		 */
		CRITICAL,

		/**
		 * The queue is behind, partly because of it, or something is wrong that will cost
		 * messages.
		 */
		WARNING,

		/**
		 * Good to know.
		 */
		INFO

	}

}
