package io.redelay.queue.store;

import java.util.Locale;

/**
 * The scripts of the store, one a verb.
 */
enum Script {

	REGISTER, UNREGISTER, QUEUES, OPEN_SENDER, SEND, OPEN_LANE, CLAIM, RENEW_LANE, CLOSE_LANE, IS_CANCELLED, STEER,
	FIND, BROWSE, COUNT, LANES, PURGE, TRIM_DEAD, SET_FLAG, DELETE, ANNOUNCE, INTRODUCE;

	String file() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
