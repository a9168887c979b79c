package io.redelay.lock;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The result of a method that was skipped: {@code null}, or the empty value of its type.
 *
 * @since 0.1.0
 */
public final class LockResult {

	private LockResult() {
	}

	/**
	 * Returns whether a type has an empty value. Numbers have none: a caller could not
	 * distinguish a skipped call from a zero.
	 */
	public static boolean canBeEmpty(Class<?> type) {
		return !type.isPrimitive() || type == void.class;
	}

	public static @Nullable Object empty(Class<?> type) {
		if (type.isAssignableFrom(CompletableFuture.class) && type != Object.class) {
			return CompletableFuture.completedFuture(null);
		}
		if (type == Optional.class) {
			return Optional.empty();
		}
		if (type == OptionalInt.class) {
			return OptionalInt.empty();
		}
		if (type == OptionalLong.class) {
			return OptionalLong.empty();
		}
		return (type == OptionalDouble.class) ? OptionalDouble.empty() : null;
	}

}
