package io.redelay.benchmarks;

import com.fasterxml.jackson.annotation.JsonValue;

/**
 * What contenders do.
 */
enum Work {

	/**
	 * One thread sends 100 messages and waits for the answer, again and again.
	 */
	SEND_100("send 100 at a time"),

	/**
	 * All is taken in batches of 100.
	 */
	DRAIN_100("drain in batches of 100"),

	/**
	 * One thread keeps 16 sends of one message on their way.
	 */
	SEND_16("send 1 at a time, 16 at once"),

	/**
	 * All is taken in batches of 10.
	 */
	DRAIN_10("drain in batches of 10"),

	/**
	 * One thread sends one message and waits for the answer, again and again.
	 */
	SEND_1("send 1 at a time"),

	/**
	 * All is taken one by one.
	 */
	DRAIN_1("drain one by one"),

	/**
	 * Like {@link #SEND_100}, to be delivered in an hour.
	 */
	SCHEDULE_100("send 100 at a time, for later");

	private final String title;

	Work(String title) {
		this.title = title;
	}

	@JsonValue
	String title() {
		return this.title;
	}

}
