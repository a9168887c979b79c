package io.redelay.queue.claim;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * What foreign code may throw, the worst of it included.
 */
enum HostileFailures {

	PLAIN(() -> new IllegalStateException("plain")),

	CHECKED(() -> new IOException("checked")),

	THROWABLE(() -> new Throwable("neither exception nor error")),

	ASSERTION(() -> new AssertionError("an error")),

	STACK_OVERFLOW(StackOverflowError::new),

	NO_NATIVE_THREAD(() -> new OutOfMemoryError("unable to create native thread: possibly out of memory")),

	NO_CLASS(() -> new NoClassDefFoundError("some/Gone")),

	REJECTED(() -> new RejectedExecutionException("full")),

	LONG(() -> new IllegalStateException("x".repeat(20_000))),

	SURROGATE(() -> new IllegalStateException("\uD800\u0000")),

	MESSAGE_THROWS(() -> new Unprintable(Unprintable.Part.MESSAGE, () -> new IllegalStateException("no message"))),

	MESSAGE_OVERFLOWS(() -> new Unprintable(Unprintable.Part.MESSAGE, null)),

	TO_STRING_OVERFLOWS(() -> new Unprintable(Unprintable.Part.TO_STRING, null)),

	CAUSE_THROWS(() -> new Unprintable(Unprintable.Part.CAUSE, () -> new IllegalStateException("no cause"))),

	CAUSE_OVERFLOWS(() -> new Unprintable(Unprintable.Part.CAUSE, null)),

	STACK_OVERFLOWS(() -> new Unprintable(Unprintable.Part.STACK, null)),

	EQUALS_OVERFLOWS(() -> new Unprintable(Unprintable.Part.EQUALS, null)),

	WRAPPED(() -> new Wrapper(new Unprintable(Unprintable.Part.MESSAGE, null))),

	OWN_CAUSE(OwnCause::new),

	CIRCLE_OF_CAUSES(HostileFailures::circle);

	@SuppressWarnings("ImmutableEnumChecker") // it keeps nothing
	private final Supplier<Throwable> failure;

	HostileFailures(Supplier<Throwable> failure) {
		this.failure = failure;
	}

	Throwable create() {
		return this.failure.get();
	}

	/**
	 * Throws it, wherever one may be thrown or not.
	 */
	<T extends Throwable> void raise() throws T {
		@SuppressWarnings("unchecked")
		T unchecked = (T) create();
		throw unchecked;
	}

	private static Throwable circle() {
		Wrapper one = new Wrapper(null);
		one.initCause(new Wrapper(one));
		return one;
	}

	/**
	 * Does not print its cause as soon as it is created.
	 */
	@SuppressWarnings("serial")
	private static final class Wrapper extends CompletionException {

		Wrapper(Throwable cause) {
			super("wrapped");
			if (cause != null) {
				initCause(cause);
			}
		}

	}

	@SuppressWarnings("serial")
	private static final class OwnCause extends CompletionException {

		@Override
		public synchronized Throwable getCause() {
			return this;
		}

	}

	/**
	 * Fails where it is looked at; without a failure of its own it calls itself until the
	 * stack is full.
	 */
	@SuppressWarnings({ "serial", "InfiniteRecursion" })
	private static final class Unprintable extends RuntimeException {

		private final Part part;

		private final transient Supplier<RuntimeException> failure;

		Unprintable(Part part, Supplier<RuntimeException> failure) {
			super("unprintable: " + part);
			this.part = part;
			this.failure = failure;
		}

		private boolean fails(Part part) {
			if (this.part != part) {
				return false;
			}
			if (this.failure != null) {
				throw this.failure.get();
			}
			return !fails(part);
		}

		@Override
		public String getMessage() {
			return fails(Part.MESSAGE) ? "" : super.getMessage();
		}

		@Override
		public String toString() {
			return fails(Part.TO_STRING) ? "" : super.toString();
		}

		@Override
		public synchronized Throwable getCause() {
			return fails(Part.CAUSE) ? this : super.getCause();
		}

		@Override
		public StackTraceElement[] getStackTrace() {
			return fails(Part.STACK) ? new StackTraceElement[0] : super.getStackTrace();
		}

		@Override
		public boolean equals(Object other) {
			return !fails(Part.EQUALS) && this == other;
		}

		@Override
		public int hashCode() {
			return fails(Part.EQUALS) ? 0 : System.identityHashCode(this);
		}

		private enum Part {

			MESSAGE, TO_STRING, CAUSE, STACK, EQUALS

		}

	}

}
