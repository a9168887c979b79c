package io.redelay.queue.failure;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Finds the causes of a failure. Survives causes that form a circle, and failures whose
 * {@code getCause()} throws.
 *
 * @since 0.1.0
 */
public final class Causes {

	private static final int LONGEST_CHAIN = 50;

	private Causes() {
	}

	/**
	 * Returns the cause of a failure.
	 * @param failure the failure
	 * @return its cause, or {@code null} if it has none or {@code getCause()} throws
	 */
	public static @Nullable Throwable of(Throwable failure) {
		try {
			return failure.getCause();
		}
		catch (Throwable ex) {
			// Most likely a StackOverflowError.
			return null;
		}
	}

	/**
	 * Removes the exceptions that futures and proxies wrap failures in.
	 * @param thrown the exception
	 * @return the first failure that is no such wrapper
	 */
	public static Throwable unwrap(Throwable thrown) {
		Throwable each = thrown;
		for (int depth = 0; depth < LONGEST_CHAIN && isWrapper(each); depth++) {
			Throwable cause = of(each);
			if (cause == null) {
				return each;
			}
			each = cause;
		}
		return each;
	}

	private static boolean isWrapper(Throwable thrown) {
		return thrown instanceof CompletionException || thrown instanceof ExecutionException
				|| thrown instanceof UndeclaredThrowableException;
	}

	/**
	 * Finds the first of a type among a failure and its causes.
	 * @param failure the failure
	 * @param type the type
	 * @param <T> the type
	 * @return the one found, or {@code null}
	 */
	public static <T> @Nullable T find(Throwable failure, Class<T> type) {
		Throwable found = find(failure, type::isInstance);
		return (found != null) ? type.cast(found) : null;
	}

	/**
	 * Finds the first that matches among a failure and its causes.
	 * @param failure the failure
	 * @param wanted the condition
	 * @return the one found, or {@code null}
	 */
	public static @Nullable Throwable find(Throwable failure, Predicate<Throwable> wanted) {
		Throwable each = failure;
		for (int depth = 0; each != null && depth < LONGEST_CHAIN; depth++) {
			if (wanted.test(each)) {
				return each;
			}
			each = of(each);
		}
		return null;
	}

}
