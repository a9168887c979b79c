package io.redelay.queue.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A bounded set of values of a tag. When all places are taken, a new value is shown as
 * {@value #OTHER}, and so is one that is too long.
 * <p>
 * Safe for use by many threads.
 */
final class BoundedValues {

	/**
	 * In place of a value that has no place of its own.
	 */
	static final String OTHER = "other";

	/**
	 * In place of a missing value.
	 */
	static final String NONE = "none";

	private static final int LONGEST = 300;

	private final int most;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	BoundedValues(int most) {
		this.most = most;
	}

	/**
	 * Returns the value to show.
	 */
	String of(@Nullable String value) {
		if (value == null || value.isEmpty() || value.equals(NONE)) {
			return NONE;
		}
		return isKnown(value) ? value : OTHER;
	}

	private boolean isKnown(String value) {
		return this.known.contains(value) || (value.length() <= LONGEST && add(value));
	}

	private synchronized boolean add(String value) {
		return this.known.size() < this.most && (this.known.add(value) || this.known.contains(value));
	}

	/**
	 * Makes room for another value.
	 */
	void forget(String value) {
		this.known.remove(value);
	}

}
