package io.redelay.queue.wire;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The scripts of the store, one a verb.
 */
public enum Script {

	RECURRING_LOOK, RECURRING_LIST, DECLARE, APPEND_EVENTS, READ_EVENTS,

	REGISTER, UNREGISTER, QUEUES, OPEN_SENDER, CHECK_SENDER, SEND(true), OPEN_LANE, CLAIM,
	KEYED_CLAIM(false, SEND, "claim"), RENEW_LANE, WORK, CLOSE_LANE, IS_CANCELLED, OPEN_STEERER, STEER(true, SEND),
	RECURRING_WRITE(false, SEND), RESUME(true, SEND), TIDY, FIND, TAGGED(false, FIND), OUTCOMES(false, FIND),
	BROWSE(false, FIND), SCAN(false, FIND), DEATHS, EXPIRED(false, FIND), COUNT, LOOK, KEYS, DEDUP_KEY, CHECK,
	INSTANCES, LANES, PURGE(true, SEND), TRIM_DEAD(true, SEND), DELETE, PARTITIONS, ANNOUNCE, INTRODUCE, OUTBOX,
	RUN_ONCE(true), PERMISSIONS, SPEAK, PUBLISH(true, SEND), SUBSCRIBE, TOPIC, REMOVE_GROUP, KEEP_LOG, READ_LOG,
	REPLAY(true, SEND), FORGET_TOPIC, OCCUPIED, FORGET_QUEUE, TAKE_TURN, ADD_STATS, STATS, BUNDLE(true, SEND), BUNDLES,
	BUNDLED, JOBS_WRITE, JOBS_LIST, LOOK_INLET, TAKE_OVER(true, SEND), REDRIVE_TURN, REDRIVABLE, CALENDAR,
	WATCH_TROUBLE, MARK, READ_MARKS, FAR_LOOK, FAR_CHUNKS, FAR_RECOUNT, PACK, THAW, COLD_LOOK, CHILL, WARM;

	private final boolean inWords;

	private final @Nullable Script within;

	private final String file;

	Script() {
		this(false);
	}

	Script(boolean inWords) {
		this(inWords, null);
	}

	Script(boolean inWords, @Nullable Script within) {
		this(inWords, within, null);
	}

	Script(boolean inWords, @Nullable Script within, @Nullable String file) {
		this.inWords = inWords;
		this.within = within;
		this.file = (file != null) ? file : name().toLowerCase(Locale.ROOT).replace('_', '-');
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
		sent[0] = this.file + " " + args[0];
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
				|| this == READ_LOG || this == LOOK_INLET || this == REDRIVABLE || this == FAR_LOOK
				|| this == FAR_CHUNKS || this == COLD_LOOK;
	}

	/**
	 * Returns whether it is sent although it is not known whether this version may use
	 * the server: it leaves nothing there, and finds out why that cannot be asked.
	 */
	boolean passesGate() {
		return this == PERMISSIONS;
	}

	/**
	 * Returns whether it changes nothing, with these arguments, so that an instance that
	 * only reads may send it.
	 */
	boolean isRead(Object[] args) {
		return switch (this) {
			case RECURRING_LOOK, RECURRING_LIST, READ_EVENTS, QUEUES, CHECK_SENDER, IS_CANCELLED, FIND, TAGGED,
					OUTCOMES, BROWSE, SCAN, DEATHS, COUNT, LOOK, KEYS, DEDUP_KEY, CHECK, INSTANCES, LANES, INTRODUCE,
					TOPIC, READ_LOG, OCCUPIED, STATS, BUNDLES, BUNDLED, JOBS_LIST, LOOK_INLET, REDRIVABLE, CALENDAR,
					READ_MARKS, FAR_LOOK, FAR_CHUNKS, COLD_LOOK ->
				true;
			// With nothing to note, and with no instance that takes the turn.
			case PARTITIONS, REDRIVE_TURN -> args.length > 0 && args[0].equals("");
			default -> false;
		};
	}

	String file() {
		return this.file;
	}

}
