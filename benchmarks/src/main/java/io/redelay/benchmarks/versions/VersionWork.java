package io.redelay.benchmarks.versions;

/**
 * What the versions do in a round.
 */
enum VersionWork {

	/**
	 * One thread sends, and waits for each answer.
	 */
	SEND(10),

	/**
	 * 16 threads send, and wait for each answer.
	 */
	THREADS(2),

	/**
	 * Sends with 256 futures on their way.
	 */
	FUTURES(1),

	/**
	 * Sends, 100 messages at a time.
	 */
	BULK(1),

	/**
	 * Handles what is there when the handlers start, by a method that takes the payload.
	 */
	DRAIN(1),

	/**
	 * The same, by a method that takes a {@code Message<T>}.
	 */
	MESSAGE(1),

	/**
	 * The same, by a method that takes a {@code List<T>}.
	 */
	BATCH(1),

	/**
	 * Sends while handlers run, with 16 futures on their way.
	 */
	BOTH(1);

	private final int part;

	VersionWork(int part) {
		this.part = part;
	}

	/**
	 * Returns how many messages the work has in a round, which are fewer where each of
	 * them is a trip.
	 * @param most how many a work has at most
	 */
	int messages(int most) {
		return Math.max(100, most / this.part);
	}

}
