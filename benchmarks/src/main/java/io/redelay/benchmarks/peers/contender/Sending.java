package io.redelay.benchmarks.peers.contender;

/**
 * Ways to send many messages.
 *
 * @since 0.1.0
 */
public enum Sending {

	/** One thread, which waits for each answer. */
	ONE_THREAD("1 thread"),

	/** 16 threads, each of which waits for its answers. */
	THREADS("16 threads"),

	/** 256 virtual threads, each of which waits for its answers. */
	VIRTUAL_THREADS("256 virtual threads"),

	/** One thread, which keeps 16 sends on their way. */
	FUTURES("16 on their way"),

	/** One thread, which sends 100 with each request. */
	BULK("100 at a time");

	private final String title;

	Sending(String title) {
		this.title = title;
	}

	/**
	 * Returns the name in reports.
	 * @return the name
	 */
	public String title() {
		return this.title;
	}

}
