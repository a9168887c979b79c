package io.redelay.benchmarks.far;

import java.util.SplittableRandom;

/**
 * Makes payloads.
 */
final class Reminders {

	private static final String LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	private static final int CUSTOMERS = 100_000;

	private static final int STREETS = 300;

	private final SplittableRandom random = new SplittableRandom(7);

	private final int length;

	private final boolean text;

	/**
	 * Creates a maker.
	 * @param length how long a payload is
	 * @param text whether it is text, not random letters
	 */
	Reminders(int length, boolean text) {
		this.length = length;
		this.text = text;
	}

	/**
	 * Makes the payload of a message.
	 * @param number the number of the message
	 */
	String next(int number) {
		StringBuilder payload = new StringBuilder(this.length + LETTERS.length());
		if (this.text) {
			payload.append("Customer ")
				.append(this.random.nextInt(CUSTOMERS))
				.append(" of house ")
				.append(this.random.nextInt(STREETS))
				.append(" has the reminder ")
				.append(number)
				.append(": ");
			while (payload.length() < this.length) {
				payload.append("please renew your contract in time. ");
			}
		}
		while (payload.length() < this.length) {
			payload.append(LETTERS.charAt(this.random.nextInt(LETTERS.length())));
		}
		return payload.substring(0, this.length);
	}

}
