package io.redelay.benchmarks.soak;

/**
 * What is sent: about 200 bytes of JSON.
 *
 * @param number its number in its ledger, from 0
 * @param due when its handler should run, in microseconds by {@link System#nanoTime()}
 * @param note fills it up
 * @since 0.1.0
 */
public record Parcel(int number, long due, String note) {

	private static final String NOTE = "Leave it with the neighbours on the second floor. ".repeat(3);

	private static final int FAILS = 7;

	static Parcel of(int number, long due) {
		return new Parcel(number, due, NOTE);
	}

	/**
	 * Whether its first handling fails.
	 */
	boolean isAwkward() {
		return this.number % 100 == FAILS;
	}

	static long micros() {
		return System.nanoTime() / 1000;
	}

}
