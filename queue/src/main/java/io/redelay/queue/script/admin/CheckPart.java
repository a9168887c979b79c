package io.redelay.queue.script.admin;

import java.util.Locale;

/**
 * A part of a queue that is checked by itself, in steps.
 *
 * @since 0.1.0
 */
public enum CheckPart {

	/**
	 * Living messages. A message that only a list may have is
	 * {@link CheckScript.Problem#UNPLACED}.
	 */
	MESSAGES,

	/**
	 * The list of ready messages. Messages that are delivered from there are
	 * {@link CheckScript.Problem#LISTED}.
	 */
	READY,

	/**
	 * The list of suspects, in the same way.
	 */
	SUSPECTS,

	/**
	 * Whether messages that no key but a list has are in one, at one moment.
	 */
	PLACED,

	/**
	 * Lanes, the messages that each holds, and how many of each fairness key are held;
	 * one step.
	 */
	HELD,

	/**
	 * Messages that are due later.
	 */
	SCHEDULED,

	/**
	 * Failures and crashes of living messages.
	 */
	TRIES,

	/**
	 * Failed attempts of living messages.
	 */
	HISTORY,

	/**
	 * When times to live and deadlines are over.
	 */
	EXPIRIES,

	/**
	 * Messages that were cancelled while they were held.
	 */
	CANCELLED,

	/**
	 * Ids of living and dead messages.
	 */
	IDS,

	/**
	 * Attributes of living messages.
	 */
	KEYS,

	/**
	 * Which message has the turn of each ordering key.
	 */
	ORDER,

	/**
	 * Places in lines and groups.
	 */
	SEATS,

	/**
	 * Checkpoints, progress and logs of living messages.
	 */
	WORK,

	/**
	 * Tags of living and dead messages.
	 */
	TAGS,

	/**
	 * Tags of completed messages.
	 */
	COMPLETED_TAGS,

	/**
	 * Dead messages, and the size of all data kept of them.
	 */
	DEAD,

	/**
	 * The data kept of dead messages.
	 */
	DEAD_MESSAGES,

	/**
	 * Completed messages, and the size of all data kept of them.
	 */
	COMPLETED,

	/**
	 * The data kept of completed messages.
	 */
	COMPLETED_MESSAGES,

	/**
	 * Keys to deduplicate by.
	 */
	DEDUP,

	/**
	 * Bundles whose callback goes to the queue, and how many of their messages are
	 * pending.
	 */
	BUNDLES,

	/**
	 * Callbacks of bundles, and the data that is sent with them.
	 */
	BUNDLES_CALLBACKS,

	/**
	 * Messages of bundles that have not ended.
	 */
	BUNDLES_PENDING,

	/**
	 * Results of messages of bundles.
	 */
	BUNDLES_RESULTS;

	/**
	 * Returns the name that the store's script has for it.
	 * @return the name
	 */
	public String text() {
		return name().toLowerCase(Locale.ROOT);
	}

}
