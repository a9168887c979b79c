package io.redelay.benchmarks.peers.contender;

/**
 * What is sent: 200 bytes of JSON.
 *
 * @param number its number in its run, from 0
 * @param at when its handler should run, in microseconds since 1970
 * @param customer a word
 * @param item a word
 * @param note fills it up
 * @since 0.1.0
 */
public record Order(int number, long at, String customer, String item, String note) {

	private static final String NOTE = "Leave it with the neighbours on the second floor if nobody opens. ".repeat(2)
		.substring(0, 117);

	static Order of(int number, long at) {
		return new Order(number, at, "amy@example", "book", NOTE.substring(digits(number) - 1));
	}

	private static int digits(int number) {
		return Integer.toString(number).length();
	}

}
