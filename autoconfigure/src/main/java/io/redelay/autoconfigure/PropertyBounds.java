package io.redelay.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * Checks values that several groups of properties have.
 */
final class PropertyBounds {

	private PropertyBounds() {
	}

	/**
	 * Throws an {@link IllegalArgumentException} that names the property if its value is
	 * shorter.
	 */
	static void atLeast(String property, @Nullable Duration value, Duration least) {
		if (value != null && value.compareTo(least) < 0) {
			throw new IllegalArgumentException(
					"'" + property + "' must be at least " + least.toMillis() + "ms: " + value);
		}
	}

	/**
	 * Throws an {@link IllegalArgumentException} that names the property if messages are
	 * to be kept, but no message, for no time or of no size.
	 */
	static void ofKept(String group, @Nullable Long maxCount, @Nullable Duration maxAge, @Nullable DataSize maxBytes) {
		if (maxCount != null && maxCount < 1) {
			throw new IllegalArgumentException("'" + group + ".max-count' must be at least 1: " + maxCount);
		}
		atLeast(group + ".max-age", maxAge, Duration.ofMillis(1));
		if (maxBytes != null && maxBytes.toBytes() < 1) {
			throw new IllegalArgumentException("'" + group + ".max-bytes' must be at least 1B: " + maxBytes);
		}
	}

}
