package io.redelay.log;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A failure as it is logged: with its stack, its causes and what it suppressed, and with
 * plain messages. Its text begins with the class of the failure.
 */
final class PlainFailure extends Throwable {

	private static final long serialVersionUID = 1L;

	private PlainFailure(String text) {
		super(text);
	}

	/**
	 * Returns the failure itself if all of its messages are plain, or cannot be read.
	 */
	static Throwable of(Throwable failure) {
		try {
			return isPlain(failure) ? failure : copy(failure, new IdentityHashMap<>());
		}
		catch (Throwable unreadable) {
			return failure; // logging it fails in the same way, which its caller expects
		}
	}

	private static boolean isPlain(Throwable failure) {
		Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		Deque<Throwable> next = new ArrayDeque<>();
		next.add(failure);
		while (!next.isEmpty()) {
			Throwable each = next.remove();
			if (!seen.add(each)) {
				continue;
			}
			if (!isPlain(each.toString()) || !isPlain(each.getMessage())) {
				return false;
			}
			if (each.getCause() != null) {
				next.add(each.getCause());
			}
			Collections.addAll(next, each.getSuppressed());
		}
		return true;
	}

	@SuppressWarnings("ReferenceEquality")
	private static boolean isPlain(@Nullable String text) {
		return text == null || PlainText.of(text) == text;
	}

	/**
	 * Copies a failure, and each other that hangs on it once: causes can form a ring.
	 */
	private static PlainFailure copy(Throwable failure, Map<Throwable, PlainFailure> copies) {
		PlainFailure known = copies.get(failure);
		if (known != null) {
			return known;
		}
		PlainFailure copy = new PlainFailure(PlainText.of(failure.toString()));
		copies.put(failure, copy);
		copy.setStackTrace(failure.getStackTrace());
		Throwable cause = failure.getCause();
		if (cause != null && !copies.containsKey(cause)) {
			copy.initCause(copy(cause, copies));
		}
		for (Throwable suppressed : failure.getSuppressed()) {
			if (!copies.containsKey(suppressed)) {
				copy.addSuppressed(copy(suppressed, copies));
			}
		}
		return copy;
	}

	@Override
	public Throwable fillInStackTrace() {
		return this; // it has the stack of the failure
	}

}
