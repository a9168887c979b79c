package io.redelay.queue.limits;

/**
 * The grammar of queue names.
 *
 * @since 0.1.0
 */
public final class QueueName {

	private static final int LONGEST = 128;

	private QueueName() {
	}

	/**
	 * Checks a name.
	 * @param name the name
	 * @return the name
	 * @throws IllegalArgumentException if it is not the name of a queue
	 */
	public static String check(String name) {
		return check("queue", name, isValid(name));
	}

	static String check(String what, String name, boolean valid) {
		if (!valid) {
			throw new IllegalArgumentException("'" + what + "' must begin with a letter or a digit and have up to "
					+ LONGEST + " letters, digits, '.', '_' and '-': '" + name + "'");
		}
		return name;
	}

	/**
	 * Returns whether a name is one of a queue. Without a regular expression, since each
	 * send checks the name.
	 * @param name the name
	 * @return whether it is
	 */
	public static boolean isValid(String name) {
		boolean valid = !name.isEmpty() && name.length() <= LONGEST && isLetterOrDigit(name.charAt(0));
		for (int i = 1; valid && i < name.length(); i++) {
			char c = name.charAt(i);
			valid = isLetterOrDigit(c) || c == '.' || c == '_' || c == '-';
		}
		return valid;
	}

	private static boolean isLetterOrDigit(char c) {
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
	}

}
