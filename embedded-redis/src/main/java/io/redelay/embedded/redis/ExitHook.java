package io.redelay.embedded.redis;

/**
 * An action that runs when the JVM ends, unless it is removed before.
 */
final class ExitHook {

	private final Thread thread;

	private ExitHook(Thread thread) {
		this.thread = thread;
	}

	static ExitHook add(Runnable action) {
		Thread thread = new Thread(action, "redelay-embedded-redis-exit");
		Runtime.getRuntime().addShutdownHook(thread);
		return new ExitHook(thread);
	}

	void remove() {
		try {
			Runtime.getRuntime().removeShutdownHook(this.thread);
		}
		catch (IllegalStateException ex) {
			// The JVM is ending, and the hook runs.
		}
	}

}
