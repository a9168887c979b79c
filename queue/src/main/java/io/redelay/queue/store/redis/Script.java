package io.redelay.queue.store.redis;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The scripts of the store, one a verb.
 */
enum Script {

	RECURRING_LOOK, RECURRING_LIST, DECLARE, APPEND_EVENTS, READ_EVENTS,

	REGISTER, UNREGISTER, QUEUES, OPEN_SENDER, CHECK_SENDER, SEND(true), OPEN_LANE, CLAIM, RENEW_LANE,
	WORK, CLOSE_LANE, IS_CANCELLED, OPEN_STEERER, STEER(true), RECURRING_WRITE(false, STEER), RESUME(true, STEER), TIDY, FIND, TAGGED, OUTCOMES, BROWSE, SCAN, DEATHS,
	EXPIRED, COUNT, LOOK, KEYS, DEDUP_KEY, CHECK, INSTANCES, LANES, PURGE(true, STEER), TRIM_DEAD(true, STEER), DELETE, PARTITIONS,
	ANNOUNCE, INTRODUCE, OUTBOX, RUN_ONCE(true), PERMISSIONS, PUBLISH(true, SEND), SUBSCRIBE, TOPIC, REMOVE_GROUP, KEEP_LOG,
	READ_LOG, REPLAY(true, SEND), FORGET_TOPIC, OCCUPIED, FORGET_QUEUE, TAKE_TURN, ADD_STATS, STATS, BUNDLE(true), BUNDLES,
	BUNDLED, JOBS_WRITE, JOBS_LIST, LOOK_INLET, TAKE_OVER(true, SEND), REDRIVE_TURN, REDRIVABLE;

	private final boolean inWords;

	private final @Nullable Script within;

	Script() {
		this(false);
	}

	Script(boolean inWords) {
		this(inWords, null);
	}

	Script(boolean inWords, @Nullable Script within) {
		this.inWords = inWords;
		this.within = within;
	}

	/**
	 * Returns the script whose text has this one: scripts that share most of their text
	 * are sent as one.
	 */
	Script sent() {
		return (this.within != null) ? this.within : this;
	}

	/**
	 * Returns the arguments as they are sent: before the first one stands which script of
	 * the text is meant, unless it is the one that the text is named after.
	 */
	Object[] sent(Object[] args) {
		if (this.within == null) {
			return args;
		}
		Object[] sent = args.clone();
		sent[0] = file() + " " + args[0];
		return sent;
	}

	/**
	 * Returns whether the reply is one string of words, which costs less than a list.
	 */
	boolean repliesInWords() {
		return this.inWords;
	}

	/**
	 * Returns whether it may read much and changes nothing. A request that Redis has not
	 * answered in time is then not sent again, as Redis may still run it.
	 */
	boolean isAskedOnce() {
		return this == FIND || this == TAGGED || this == OUTCOMES || this == BROWSE || this == SCAN || this == DEATHS
				|| this == EXPIRED || this == STATS || this == BUNDLES || this == BUNDLED || this == CHECK
				|| this == READ_LOG || this == LOOK_INLET || this == REDRIVABLE;
	}

	String file() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
