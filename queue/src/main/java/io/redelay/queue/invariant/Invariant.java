package io.redelay.queue.invariant;

/**
 * Something that is always true of a listener's state, unless Redelay has a defect.
 *
 * @since 0.1.0
 */
public enum Invariant {

	/**
	 * A claim loop only goes from one state to another as {@code LoopState} allows.
	 */
	LOOP_STATE("loop-state"),

	/**
	 * A request on a lane has the number after the last one that was answered.
	 */
	REQUEST_NUMBER("request-number"),

	/**
	 * A message that is settled was held, and is settled once.
	 */
	HELD_MESSAGE("held-message"),

	/**
	 * The number of messages for which a container has reserved room is not negative.
	 */
	HELD_COUNT("held-count"),

	/**
	 * The number of suspects of a container is not negative.
	 */
	SUSPECT_COUNT("suspect-count"),

	/**
	 * The number of permits of a container is within the range of its concurrency.
	 */
	PERMITS("permits");

	private final String label;

	Invariant(String label) {
		this.label = label;
	}

	/**
	 * The name in the log and in metrics.
	 * @return the name, in lower case with hyphens
	 */
	public String label() {
		return this.label;
	}

}
