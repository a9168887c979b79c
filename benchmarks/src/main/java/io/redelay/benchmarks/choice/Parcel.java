package io.redelay.benchmarks.choice;

/**
 * What is sent.
 *
 * @param loud whether it is one of the many whose wait does not matter
 * @param nanos when it was sent or is due, by {@link System#nanoTime()}
 * @param number its number where they are counted
 * @param filling makes it as long as a usual payload
 */
record Parcel(boolean loud, long nanos, int number, String filling) {

	private static final String FILLING = "x".repeat(150);

	static Parcel ofLoud() {
		return new Parcel(true, 0, 0, FILLING);
	}

	static Parcel ofQuiet() {
		return new Parcel(false, System.nanoTime(), 0, FILLING);
	}

	static Parcel due(long nanos) {
		return new Parcel(false, nanos, 0, FILLING);
	}

	static Parcel of(int number) {
		return new Parcel(false, 0, number, FILLING);
	}

}
