package io.redelay.benchmarks.peers.item;

/**
 * What is measured.
 *
 * @since 0.1.0
 */
public enum Figure {

	/** Messages a second. */
	PER_SECOND("messages/s", "%,.0f"),

	/** How late half of the messages were at most. */
	P50("p50, ms", "%,.2f"),

	/** How late 99 of 100 messages were at most. */
	P99("p99, ms", "%,.2f"),

	/** How many messages came before their time. */
	EARLY("early", "%,.0f"),

	/** Which part of the messages came before the patience with the contender ended. */
	HANDLED("handled, %", "%,.0f"),

	/** Commands of Redis for a message, those that scripts call included. */
	COMMANDS("commands", "%,.2f"),

	/** What the process of Redis computed for a message. */
	REDIS_CPU("Redis µs", "%,.1f"),

	/** What the process of the client computed for a message. */
	CLIENT_CPU("client µs", "%,.1f"),

	/** The memory of Redis that a message takes. */
	BYTES("bytes", "%,.0f"),

	/** Requests a second, those that arrive together counted as one. */
	REQUESTS_PER_SECOND("requests/s", "%,.1f"),

	/** Commands a second, those that scripts call included. */
	COMMANDS_PER_SECOND("commands/s", "%,.1f"),

	/** Which part of a core the process of Redis used. */
	REDIS_LOAD("Redis CPU, %", "%,.2f"),

	/** Which part of a core the process of the client used. */
	CLIENT_LOAD("client CPU, %", "%,.2f");

	private final String title;

	private final String format;

	Figure(String title, String format) {
		this.title = title;
		this.format = format;
	}

	/**
	 * Returns the name in reports.
	 * @return the name
	 */
	public String title() {
		return this.title;
	}

	/**
	 * Returns how it is written.
	 * @return a format
	 */
	public String format() {
		return this.format;
	}

}
