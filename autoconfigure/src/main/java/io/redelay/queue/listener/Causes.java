package io.redelay.queue.listener;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Goes from a failure to its causes, of which there may be a circle, and which it may
 * fail to tell.
 */
final class Causes {

	private static final int LONGEST_CHAIN = 50;

	private Causes() {
	}

	/**
	 * The cause of a failure; {@code null} also if it throws when it is asked.
	 */
	static @Nullable Throwable of(Throwable failure) {
		try {
			return failure.getCause();
		}
		catch (Throwable ex) {
			// A StackOverflowError as likely as not: no cause is known.
			return null;
		}
	}

	/**
	 * Takes off what futures and proxies wrap failures in.
	 */
	static Throwable unwrap(Throwable thrown) {
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
	 * Finds one of a type among a failure and its causes.
	 */
	static <T> @Nullable T find(Throwable failure, Class<T> type) {
		Throwable found = find(failure, type::isInstance);
		return (found != null) ? type.cast(found) : null;
	}

	/**
	 * Finds one among a failure and its causes.
	 */
	static @Nullable Throwable find(Throwable failure, Predicate<Throwable> wanted) {
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
