package io.redelay.embedded.redis;

/**
 * An action that runs when the JVM ends, unless it is removed before.
 *
 * @param thread runs the action
 */
record ExitHook(Thread thread) {

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
