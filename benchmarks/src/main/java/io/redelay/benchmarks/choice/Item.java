package io.redelay.benchmarks.choice;

/**
 * Something that is measured.
 */
interface Item {

	/**
	 * Returns the name on the command line.
	 */
	String name();

	/**
	 * Measures once.
	 */
	void run(Round round);

}
