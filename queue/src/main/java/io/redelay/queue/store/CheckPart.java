package io.redelay.queue.store;

import java.util.Locale;

/**
 * A part of a queue that is checked by itself, in steps.
 *
 * @since 0.1.0
 */
public enum CheckPart {

	/**
	 * Living messages: those of which no key but a list has an entry are
	 * {@link StoredProblem#UNPLACED}.
	 */
	MESSAGES,

	/**
	 * The list of ready messages: those that are delivered from there are
	 * {@link StoredProblem#LISTED}.
	 */
	READY,

	/**
	 * The list of suspects, likewise.
	 */
	SUSPECTS,

	/**
	 * Whether messages that no key but a list has are in one, at one moment.
	 */
	PLACED,

	/**
	 * Lanes, what each holds, and how many of each fairness key are held; one step.
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
	 * Dead messages, and how large all that is kept of them is.
	 */
	DEAD,

	/**
	 * What is kept of dead messages.
	 */
	DEAD_MESSAGES,

	/**
	 * Completed messages, and how large all that is kept of them is.
	 */
	COMPLETED,

	/**
	 * What is kept of completed messages.
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
	 * Callbacks of bundles, and what is told with them.
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
	 * The name that the store's script has for it.
	 * @return the name
	 */
	public String text() {
		return name().toLowerCase(Locale.ROOT);
	}

}
