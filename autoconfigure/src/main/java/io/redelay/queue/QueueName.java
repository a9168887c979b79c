package io.redelay.queue;

import java.util.regex.Pattern;

/**
 * The grammar of queue names.
 *
 * @since 0.1.0
 */
public final class QueueName {

	private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

	private QueueName() {
	}

	/**
	 * Checks a name.
	 * @param name the name
	 * @return the name
	 * @throws IllegalArgumentException if it is not the name of a queue
	 */
	public static String check(String name) {
		if (!GRAMMAR.matcher(name).matches()) {
			throw new IllegalArgumentException(
					"'queue' must begin with a letter or a digit and have up to 128 letters, "
							+ "digits, '.', '_' and '-': '" + name + "'");
		}
		return name;
	}

}
