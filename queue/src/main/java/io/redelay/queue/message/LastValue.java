package io.redelay.queue.message;

/**
 * Finds the end of a payload that is the last property of its envelope, as it is in each
 * envelope that Redelay writes, without parsing it. It need not be JSON: brackets are
 * counted and not matched, and a handler that takes text gets it as it is.
 */
final class LastValue {

	private LastValue() {
	}

	/**
	 * Returns where a value ends.
	 * @param envelope a JSON object
	 * @param start where the value begins
	 * @return where it ends, before blanks; -1 if it is empty, or if the object goes on
	 * behind it
	 */
	static int end(byte[] envelope, int start) {
		int last = envelope.length - 1;
		int depth = 0;
		for (int at = start; at <= last; at++) {
			switch (envelope[at]) {
				case '"' -> at = endOfString(envelope, at + 1);
				case '{', '[' -> depth++;
				case '}', ']' -> {
					if (depth == 0) {
						return (at == last && envelope[at] == '}') ? withoutBlanks(envelope, start, at) : -1;
					}
					depth--;
				}
				case ',' -> {
					if (depth == 0) {
						return -1;
					}
				}
				default -> {
				}
			}
		}
		return -1;
	}

	private static int endOfString(byte[] json, int start) {
		int at = start;
		while (at < json.length && json[at] != '"') {
			at += (json[at] == '\\') ? 2 : 1;
		}
		return at;
	}

	private static int withoutBlanks(byte[] json, int start, int end) {
		int trimmed = end;
		while (trimmed > start && isBlank(json[trimmed - 1])) {
			trimmed--;
		}
		return (trimmed > start) ? trimmed : -1;
	}

	static boolean isBlank(byte each) {
		return each == ' ' || each == '\n' || each == '\r' || each == '\t';
	}

}
